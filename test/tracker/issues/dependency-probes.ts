import { ISSUE } from '../../../src/tracker/issues/actions.ts';
import { DEPENDENCY } from '../../../src/tracker/issues/planning/dependencies/actions.ts';
import { type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const ISSUE_URL = `${REPOSITORY_URL}/issues/:number`;
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;
const OTHER = { json: { index: 999_998 } };

/** Probes of dependencies. */
export const DEPENDENCY_PROBES: readonly Probe[] = [
  ...(['dependencies', 'blocks'] as const).flatMap((direction): readonly Probe[] => {
    const url = `${ISSUE_URL}/${direction}`;
    const action = direction === 'blocks' ? DEPENDENCY.block : DEPENDENCY.change;
    return [
      { label: `dependencies: list ${direction}`, method: 'GET', url, action: ISSUE.read, ...MISSING },
      { label: `dependencies: add to ${direction}`, method: 'POST', url, action, sent: OTHER, ...MISSING },
      {
        label: `dependencies: remove from ${direction}`,
        method: 'DELETE',
        url,
        action,
        sent: OTHER,
        ...MISSING,
      },
    ];
  }),
];
