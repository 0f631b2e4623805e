import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../../../src/app/features.ts';
import { definedEvents } from '../../../src/base/events/model.ts';
import { EVENT_NAMES, headerOf } from '../../../src/tracker/webhooks/event-names.ts';
import { DELIVERED_KINDS, NOT_DELIVERED } from '../../../src/tracker/webhooks/payloads/table.ts';

// Runs once: no outcome depends on the database.

test('each kind of event is either delivered by webhooks, or is named as one that is not', () => {
  const named = [...DELIVERED_KINDS, ...NOT_DELIVERED].map(({ name }) => name);
  assert.deepEqual(named.toSorted(), [...new Set(named)].toSorted(), 'a kind is named twice');
  assert.deepEqual(named.toSorted(), [...definedEvents()].toSorted());
});

test('the header of an event is that of its group', () => {
  const headers = EVENT_NAMES.map((name) => [name, headerOf(name)]).filter(
    ([name, header]) => name !== header,
  );
  assert.deepEqual(Object.fromEntries(headers), {
    issue_assign: 'issues',
    issue_label: 'issues',
    issue_milestone: 'issues',
    pull_request_assign: 'pull_request',
    pull_request_label: 'pull_request',
    pull_request_milestone: 'pull_request',
    pull_request_comment: 'issue_comment',
    pull_request_review_approved: 'pull_request_approved',
    pull_request_review_rejected: 'pull_request_rejected',
    pull_request_review_comment: 'pull_request_comment',
    pull_request_sync: 'pull_request',
    pull_request_review_request: 'pull_request',
  });
});
