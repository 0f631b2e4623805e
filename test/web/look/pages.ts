import type { Person, TestForge } from '../../support/forge/forge.ts';

/** Who opens a page: a caller without an account, the owner of the repositories, or an administrator of the site. */
export type Reader = 'stranger' | 'owner' | 'administrator';

/** A page that the tests of looks open. */
export interface ShownPage {
  readonly name: string;
  readonly path: string;
  readonly as: Reader;
}

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetze';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What the pages of a filled forge have in their addresses. */
interface Filled {
  readonly owner: Person;
  readonly pull: number;
  readonly note: number;
}

/** Fills a forge with what pages show, with the longest names and texts in several scripts. */
export async function fillForge(forge: TestForge): Promise<Filled> {
  const owner = await forge.account('ada', { full_name: `Ada ${LONG} أدا` });
  const make = async (path: string, json: object) => {
    const made = await owner.post(path, json);
    if (made.status !== 201 && made.status !== 200) throw new Error(`cannot make ${path}: ${made.text}`);
    return made.body;
  };
  const api = '/api/v1/repos/ada/engine';
  await owner.repository('engine', {
    auto_init: true,
    description: `It weaves ${LONG} patterns — 模様を織る — ينسج الأنماط`,
  });
  await owner.repository('empty', { private: true });
  await make(`${api}/contents`, {
    files: Object.entries({
      [`docs/${LONG}-${LONG}.md`]: `# Plan\n\n${LONG.repeat(8)}\n\n| a | b |\n|---|---|\n| ${LONG.repeat(3)} | 2 |\n`,
      'src/loom.ts': `/** Weaves. */\nexport const pattern = '${'x'.repeat(300)}';\n`.repeat(40),
      'data.csv': 'name,size,color\nada,1,red\n'.repeat(30),
    }).map(([path, text]) => ({ operation: 'create', path, content: base64(text) })),
    message: `Add ${LONG} files\n\nThey hold ${LONG.repeat(4)}.`,
  });
  const label = await make(`${api}/labels`, { name: `kind/${LONG}`.slice(0, 50), color: '#0075ca' });
  await make(`${api}/milestones`, { title: `Version ${LONG}` });
  await make(`${api}/issues`, {
    title: `Show ${LONG} graph`,
    body: `It *should* be there.\n\n- [ ] one\n- [x] two\n\n\`\`\`ts\nconst a = '${'y'.repeat(200)}';\n\`\`\`\n`,
    labels: [label.id],
  });
  await make(`${api}/issues/1/comments`, { body: `I agree: ${LONG.repeat(5)}` });
  await make(`${api}/contents/cards.md`, {
    content: base64('They hold the pattern.\n'),
    branch: 'main',
    new_branch: `cards/${LONG}`,
    message: 'Name the cards',
  });
  const pull = await make(`${api}/pulls`, { title: 'Name the cards', head: `cards/${LONG}`, base: 'main' });
  await make(`${api}/releases`, { tag_name: 'v1.0', name: `First ${LONG}`, body: 'All of it.' });
  await make(`${api}/wiki/new`, { title: 'Home', content_base64: base64('# Home\n\nSee [[Other]].\n') });
  await make('/api/v1/orgs', { username: 'weavers', full_name: `The ${LONG}`, description: 'They weave' });
  const note = await make('/index.php/apps/notes/api/v1/notes', {
    title: 'Looms',
    category: `Ideas/${LONG}`,
    content: `# Looms\n\n${LONG.repeat(6)}\n`,
  });
  return { owner, pull: pull.number, note: note.id };
}

/** Every page, with what `fillForge` has made. */
const REPOSITORY = '/ada/engine';

export const pagesOf = ({ pull, note }: Filled): readonly ShownPage[] => [
  ...shown('stranger', {
    front: '/',
    help: '/-/help',
    'sign-in': '/user/login',
    error: '/ada/nothing',
    'explore-repositories': '/explore/repos',
    'explore-users': '/explore/users',
    'explore-organizations': '/explore/organizations',
    profile: '/ada',
    organization: '/weavers',
    repository: REPOSITORY,
    folder: `${REPOSITORY}/src/branch/main/docs`,
    file: `${REPOSITORY}/src/branch/main/src/loom.ts`,
    markdown: `${REPOSITORY}/src/branch/main/docs/${LONG}-${LONG}.md`,
    table: `${REPOSITORY}/src/branch/main/data.csv`,
    blame: `${REPOSITORY}/blame/branch/main/src/loom.ts`,
    'find-file': `${REPOSITORY}/find/branch/main`,
    'code-search': `${REPOSITORY}/search?q=pattern`,
    commits: `${REPOSITORY}/commits/branch/main`,
    comparison: `${REPOSITORY}/compare/main...cards/${LONG}`,
    branches: `${REPOSITORY}/branches`,
    tags: `${REPOSITORY}/tags`,
    wiki: `${REPOSITORY}/wiki`,
    releases: `${REPOSITORY}/releases`,
    issues: `${REPOSITORY}/issues`,
    issue: `${REPOSITORY}/issues/1`,
    labels: `${REPOSITORY}/labels`,
    milestones: `${REPOSITORY}/milestones`,
    pulls: `${REPOSITORY}/pulls`,
    pull: `${REPOSITORY}/pulls/${pull}`,
    'pull-commits': `${REPOSITORY}/pulls/${pull}/commits`,
    'pull-files': `${REPOSITORY}/pulls/${pull}/files`,
    'pull-files-split': `${REPOSITORY}/pulls/${pull}/files?style=split`,
  }),
  ...shown('owner', {
    dashboard: '/',
    'repository-empty': '/ada/empty',
    'new-repository': '/repo/create',
    'edit-file': `${REPOSITORY}/_edit/main/src/loom.ts`,
    'new-file': `${REPOSITORY}/_new/main`,
    'upload-files': `${REPOSITORY}/_upload/main`,
    'own-issue': `${REPOSITORY}/issues/1`,
    'new-issue': `${REPOSITORY}/issues/new`,
    'own-pull': `${REPOSITORY}/pulls/${pull}`,
    'own-pull-files': `${REPOSITORY}/pulls/${pull}/files`,
    'new-pull': `${REPOSITORY}/compare/main...cards/${LONG}?expand=1`,
    'new-release': `${REPOSITORY}/releases/new`,
    'own-issues': '/issues',
    'own-pulls': '/pulls',
    notifications: '/notifications',
    notes: '/-/notes',
    'new-note': '/-/notes/new',
    note: `/-/notes/${note}`,
    'read-note': `/-/notes/${note}?view=read`,
    'note-history': `/-/notes/${note}/history`,
    'deleted-notes': '/-/notes/deleted',
    'own-profile': '/user/settings',
    account: '/user/settings/account',
    security: '/user/settings/security',
    sessions: '/user/settings/sessions',
    applications: '/user/settings/applications',
    keys: '/user/settings/keys',
    'blocked-users': '/user/settings/blocked_users',
    'repository-settings': `${REPOSITORY}/settings`,
    collaboration: `${REPOSITORY}/settings/collaboration`,
    webhooks: `${REPOSITORY}/settings/hooks`,
    'deploy-keys': `${REPOSITORY}/settings/keys`,
    'organization-settings': '/org/weavers/settings',
    teams: '/org/weavers/settings/teams',
  }),
  ...shown('administrator', {
    administration: '/-/admin',
    users: '/-/admin/users',
    'all-organizations': '/-/admin/orgs',
    'audit-log': '/-/admin/audit',
    configuration: '/-/admin/config',
  }),
];

function shown(as: Reader, paths: Readonly<Record<string, string>>): readonly ShownPage[] {
  return Object.entries(paths).map(([name, path]) => ({ name, path, as }));
}
