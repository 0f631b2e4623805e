import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { wireName } from '../../../src/api/operations/values.ts';
import type { EventRule, ShownPart } from '../../../src/tracker/event-feed/rule.ts';
import { ALL_RULES } from '../../../src/tracker/event-feed/rules.ts';
import { ROOT } from '../../support/process.ts';

// Runs once: the table depends on the program alone.

const RENEW = 'QUIRE_TEST_RENEW';
const PAGE = 'docs/event-kinds.md';

test('docs/event-kinds.md has each kind of event, with its data and who sees it', async () => {
  const file = join(ROOT, PAGE);
  const page = pageOf(ALL_RULES.map(([kind, rule]) => rowOf(kind, rule)));
  if (process.env[RENEW] === '1') await writeFile(file, page);
  assert.equal(await readFile(file, 'utf8'), page, `renew ${PAGE} with ${RENEW}=1`);
});

function pageOf(rows: readonly string[]): string {
  return `# Kinds of events

The events of the [event feed](event-feed.md), with the parts that \`data\` and \`former\` can have, and who sees them.
Parts that an event does not have are absent. An account is \`{"id": …, "login": …}\`, and null if it is hidden or deleted.
\`test/tracker/event-feed/event-kinds.test.ts\` writes this page with \`${RENEW}=1\`.

| \`kind\` | \`data\` | \`former\` | who sees it |
|---|---|---|---|
${rows.toSorted().join('\n')}
`;
}

function rowOf(kind: string, rule: EventRule): string {
  const data = Object.entries(rule.shown).map(([name, part]) => partOf(name, part));
  const former = (rule.former ?? []).map((name) => `\`${wireName(name)}\``);
  return `| \`${kind}\` | ${data.join(', ')} | ${former.join(', ')} | ${viewersOf(rule)} |`;
}

function partOf(name: string, { as = name, isPerson, isRepository }: ShownPart): string {
  const kind = isPerson === true ? ' (account)' : isRepository === true ? ' (repository)' : '';
  return `\`${wireName(as)}\`${kind}`;
}

/** The words of one rule: who, then for which part of the repository. */
function viewersOf(rule: EventRule): string {
  const only = rule.onlyFor === undefined ? undefined : `only the account in ${nameOf(rule, rule.onlyFor)}`;
  if (only !== undefined) return only;
  switch (rule.on) {
    case 'repository': {
      const { level, unit } = rule.action;
      const units = [unit ?? []].flat().join(' or ');
      return `\`${level}\` of the repository${units === '' ? '' : ` (${units})`}`;
    }
    case 'organization': {
      const ranks = { visitor: 'who sees', member: 'members of', owner: 'owners of' } as const;
      const also = rule.needsRepository === true ? ' who see the repository' : '';
      return `${ranks[rule.action.rank]} the organization${also}`;
    }
    case 'account': {
      const also = rule.alsoFor === undefined ? '' : `, and the one in ${nameOf(rule, rule.alsoFor)}`;
      return `the account itself${also}`;
    }
    case 'site':
      return 'site administrators';
    case 'deleted-repository':
      return 'the former owner';
  }
}

function nameOf({ shown }: EventRule, part: string): string {
  return part === 'actor' ? '`actor`' : `\`${wireName(shown[part]?.as ?? part)}\``;
}
