import { TIME } from '../../../src/tracker/issues/planning/times/actions.ts';
import { type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const ISSUE_URL = `${REPOSITORY_URL}/issues/:number`;
const TIMES_URL = `${ISSUE_URL}/times`;
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;

/** Probes of tracked times and stopwatches. */
export const TIME_PROBES: readonly Probe[] = [
  { label: 'times: list of issue', method: 'GET', url: TIMES_URL, action: TIME.read, ...MISSING },
  {
    label: 'times: add',
    method: 'POST',
    url: TIMES_URL,
    action: TIME.change,
    sent: { json: { time: 1 } },
    ...MISSING,
  },
  { label: 'times: reset', method: 'DELETE', url: TIMES_URL, action: TIME.change, ...MISSING },
  { label: 'times: delete', method: 'DELETE', url: `${TIMES_URL}/:id`, action: TIME.change, ...MISSING },
  { label: 'times: list', method: 'GET', url: `${REPOSITORY_URL}/times`, action: TIME.read },
  {
    label: 'times: list of user',
    method: 'GET',
    url: `${REPOSITORY_URL}/times/:username`,
    action: TIME.read,
    filled: { ':username': 'no-such-user' },
    isOfMissing: true,
  },
  ...(['start', 'stop'] as const).map((verb): Probe => {
    const url = `${ISSUE_URL}/stopwatch/${verb}`;
    return { label: `times: ${verb} stopwatch`, method: 'POST', url, action: TIME.watch, ...MISSING };
  }),
  {
    label: 'times: cancel stopwatch',
    method: 'DELETE',
    url: `${ISSUE_URL}/stopwatch/delete`,
    action: TIME.watch,
    ...MISSING,
  },
];

export const OWN_TIME_PROBES: readonly Probe[] = [
  { label: 'times: own', method: 'GET', url: '/api/v1/user/times', action: TIME.listOwn },
  { label: 'times: own stopwatch', method: 'GET', url: '/api/v1/user/stopwatches', action: TIME.listOwn },
];
