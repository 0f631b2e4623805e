import { ARCHIVE } from '../../src/code/archives/actions.ts';
import { COMMIT } from '../../src/code/commits/actions.ts';
import { CONTENTS } from '../../src/code/contents/actions.ts';
import { TAG } from '../../src/code/tags/actions.ts';
import { ACCOUNT_REPOSITORIES, REPOSITORY } from '../../src/hosting/repositories/actions.ts';
import { WIKI } from '../../src/hosting/wikis/actions.ts';
import { ACTIVITY } from '../../src/tracker/activities/actions.ts';
import { ISSUE } from '../../src/tracker/issues/actions.ts';
import { RELEASE } from '../../src/tracker/releases/actions.ts';
import type { FeatureProbes } from '../api/access/probe.ts';
import { CODE_PROBES } from './code/page-probes.ts';
import { NOTE_PAGE_PROBES } from './notes/note-probes.ts';
import { PEOPLE_PROBES } from './people-probes.ts';
import { PULL_PAGE_PROBES } from './tracker/pulls/pull-probes.ts';
import { OWN_LIST_PROBES, TRACKER_PROBES } from './tracker/tracker-probes.ts';

const FILE = { ':kind': 'branch', '*': 'main/README.md' };

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'page', method: 'GET', url: '/:owner/:repo', action: REPOSITORY.read },
    {
      label: 'page of a file',
      method: 'GET',
      url: '/:owner/:repo/src/:kind/*',
      action: CONTENTS.readRaw,
      filled: FILE,
    },
    {
      label: 'download',
      method: 'GET',
      url: '/:owner/:repo/raw/:kind/*',
      action: CONTENTS.readRaw,
      filled: FILE,
    },
    {
      label: 'download of media',
      method: 'GET',
      url: '/:owner/:repo/media/:kind/*',
      action: CONTENTS.readRaw,
      filled: FILE,
    },
    {
      label: 'page of an issue',
      method: 'GET',
      url: '/:owner/:repo/issues/:number',
      action: ISSUE.read,
      filled: { ':number': '999999' },
      isOfMissing: true,
    },
    ...PULL_PAGE_PROBES,
    { label: 'page of the wiki', method: 'GET', url: '/:owner/:repo/wiki', action: WIKI.read },
    {
      label: 'page of a wiki page',
      method: 'GET',
      url: '/:owner/:repo/wiki/:pageName',
      action: WIKI.read,
      filled: { ':pageName': 'Missing' },
      isOfMissing: true,
    },
    {
      label: 'file of the wiki',
      method: 'GET',
      url: '/:owner/:repo/wiki/raw/*',
      action: WIKI.read,
      isOfMissing: true,
    },
    {
      label: 'page of a commit',
      method: 'GET',
      url: '/:owner/:repo/commit/:sha',
      action: CONTENTS.readRaw,
      filled: { ':sha': 'COMMIT' },
    },
    ...CODE_PROBES,
    { label: 'page of releases', method: 'GET', url: '/:owner/:repo/releases', action: RELEASE.read },
    {
      label: 'page of latest release',
      method: 'GET',
      url: '/:owner/:repo/releases/latest',
      action: RELEASE.read,
      isOfMissing: true,
    },
    {
      label: 'page of release',
      method: 'GET',
      url: '/:owner/:repo/releases/tag/*',
      action: RELEASE.read,
      isOfMissing: true,
    },
    {
      label: 'download of an archive',
      method: 'GET',
      url: '/:owner/:repo/archive/*',
      action: ARCHIVE.get,
      filled: { '*': 'main.zip' },
    },
    {
      label: 'go-get',
      method: 'GET',
      url: '/:owner/:repo/*',
      action: REPOSITORY.read,
      query: '?go-get=1',
    },
    { label: 'RSS feed', method: 'GET', url: '/:owner/:repo.rss', action: ACTIVITY.listIn },
    { label: 'Atom feed', method: 'GET', url: '/:owner/:repo.atom', action: ACTIVITY.listIn },
    { label: 'RSS of tags', method: 'GET', url: '/:owner/:repo/tags.rss', action: TAG.read },
    { label: 'Atom of tags', method: 'GET', url: '/:owner/:repo/tags.atom', action: TAG.read },
    ...['rss', 'atom'].map(
      (format) =>
        ({
          label: `${format} feed of a branch`,
          method: 'GET',
          url: `/:owner/:repo/${format}/branch/*`,
          action: COMMIT.read,
          filled: { '*': 'main' },
        }) as const,
    ),
    { label: 'RSS of releases', method: 'GET', url: '/:owner/:repo/releases.rss', action: RELEASE.read },
    { label: 'Atom of releases', method: 'GET', url: '/:owner/:repo/releases.atom', action: RELEASE.read },
    ...TRACKER_PROBES,
    ...PEOPLE_PROBES.repository,
  ],
  organization: PEOPLE_PROBES.organization,
  others: [
    ...OWN_LIST_PROBES,
    ...NOTE_PAGE_PROBES,
    ...PEOPLE_PROBES.others,
    {
      label: "another's page",
      method: 'GET',
      url: '/:owner',
      action: ACCOUNT_REPOSITORIES.listRepositoriesOf,
      filled: { ':owner': 'ada' },
    },
    ...['rss', 'atom'].map(
      (format) =>
        ({
          label: `another's ${format} feed`,
          method: 'GET',
          url: `/:owner.${format}`,
          action: ACTIVITY.listOf,
          filled: { ':owner': 'ada' },
        }) as const,
    ),
  ],
  open: [
    ...PEOPLE_PROBES.open,
    'GET /',
    'GET /robots.txt',
    'GET /api/healthz',
    'GET /metrics',
    'GET /swagger.v1.json',
    'GET /api/v1/openapi.json',
    'GET /api/swagger',
    'GET /api/swagger/:file',
    'GET /avatars/:hash',
    'GET /api/v1/version',
    'GET /api/v1/settings/api',
    'GET /api/v1/settings/attachment',
    'GET /api/v1/settings/repository',
    'GET /api/v1/settings/ui',
  ],
};
