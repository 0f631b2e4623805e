import { FLAG } from '../../../src/hosting/flags/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const URL = '/api/v1/repos/:owner/:repo/flags';
const REPOSITORY = { ':owner': 'ada', ':repo': 'engine' };
const FILLED = { ...REPOSITORY, ':flag': 'looms' };

/** Flags are off unless the operator turns them on, so site administrators get 404. */
export const PROBES: FeatureProbes = {
  ownOperations: [
    'repoAddFlag',
    'repoCheckFlag',
    'repoDeleteAllFlags',
    'repoDeleteFlag',
    'repoListFlags',
    'repoReplaceAllFlags',
  ],
  others: [
    { label: 'list flags', method: 'GET', url: URL, action: FLAG.read, filled: REPOSITORY },
    {
      label: 'replace flags',
      method: 'PUT',
      url: URL,
      action: FLAG.change,
      filled: REPOSITORY,
      sent: { json: { flags: [] } },
    },
    { label: 'remove flags', method: 'DELETE', url: URL, action: FLAG.change, filled: REPOSITORY },
    { label: 'check flag', method: 'GET', url: `${URL}/:flag`, action: FLAG.read, filled: FILLED },
    { label: 'add flag', method: 'PUT', url: `${URL}/:flag`, action: FLAG.change, filled: FILLED },
    { label: 'remove flag', method: 'DELETE', url: `${URL}/:flag`, action: FLAG.change, filled: FILLED },
  ],
};
