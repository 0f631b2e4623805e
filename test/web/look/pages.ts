import type { TestForge } from '../../support/forge/forge.ts';

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

/** Fills a forge with what pages show, with the longest names and texts in several scripts. */
export async function fillForge(forge: TestForge) {
  const owner = await forge.account('ada', { full_name: `Ada ${LONG} أدا` });
  await owner.repository('engine', {
    auto_init: true,
    description: `It weaves ${LONG} patterns — 模様を織る — ينسج الأنماط`,
  });
  await owner.repository('empty', { private: true });
  await owner.post('/api/v1/repos/ada/engine/contents', {
    files: [
      {
        operation: 'create',
        path: `docs/${LONG}-${LONG}.md`,
        content: base64(`# Plan\n\n${LONG.repeat(8)}\n\n| a | b |\n|---|---|\n| ${LONG.repeat(3)} | 2 |\n`),
      },
      {
        operation: 'create',
        path: 'src/loom.ts',
        content: base64(`/** Weaves. */\nexport const pattern = '${'x'.repeat(300)}';\n`.repeat(40)),
      },
      { operation: 'create', path: 'data.csv', content: base64('name,size,color\nada,1,red\n'.repeat(30)) },
    ],
    message: `Add ${LONG} files\n\nThey hold ${LONG.repeat(4)}.`,
  });
  await owner.post('/api/v1/repos/ada/engine/labels', {
    name: `kind/${LONG}`.slice(0, 50),
    color: '#0075ca',
  });
  await owner.post('/api/v1/repos/ada/engine/issues', {
    title: `Show ${LONG} graph`,
    body: `It *should* be there.\n\n- [ ] one\n- [x] two\n\n\`\`\`ts\nconst a = '${'y'.repeat(200)}';\n\`\`\`\n`,
    labels: [1],
  });
  await owner.post('/api/v1/repos/ada/engine/issues/1/comments', { body: `I agree: ${LONG.repeat(5)}` });
  await owner.post('/api/v1/repos/ada/engine/contents/cards.md', {
    content: base64('They hold the pattern.\n'),
    new_branch: `cards/${LONG}`,
    message: 'Name the cards',
  });
  await owner.post('/api/v1/repos/ada/engine/pulls', {
    title: 'Name the cards',
    head: `cards/${LONG}`,
    base: 'main',
    body: 'Please look.',
  });
  await owner.post('/api/v1/repos/ada/engine/releases', {
    tag_name: 'v1.0',
    name: `First ${LONG}`,
    body: 'All of it.',
  });
  await owner.post('/api/v1/repos/ada/engine/wiki/new', {
    title: 'Home',
    content_base64: base64('# Home\n\nSee [[Other]].\n'),
  });
  return owner;
}

/** Every page, with what `fillForge` has made. */
export const PAGES: readonly ShownPage[] = [
  { name: 'front', path: '/', as: 'stranger' },
  { name: 'sign-in', path: '/user/login', as: 'stranger' },
  { name: 'error', path: '/ada/nothing', as: 'stranger' },
  { name: 'repository', path: '/ada/engine', as: 'stranger' },
  { name: 'repository-empty', path: '/ada/empty', as: 'owner' },
  { name: 'folder', path: '/ada/engine/src/branch/main/docs', as: 'stranger' },
  { name: 'file', path: '/ada/engine/src/branch/main/src/loom.ts', as: 'stranger' },
  { name: 'markdown', path: `/ada/engine/src/branch/main/docs/${LONG}-${LONG}.md`, as: 'stranger' },
  { name: 'table', path: '/ada/engine/src/branch/main/data.csv', as: 'stranger' },
  { name: 'wiki', path: '/ada/engine/wiki', as: 'stranger' },
  { name: 'release', path: '/ada/engine/releases', as: 'stranger' },
  { name: 'issue', path: '/ada/engine/issues/1', as: 'stranger' },
  { name: 'profile', path: '/ada', as: 'stranger' },
  { name: 'settings', path: '/user/settings/account', as: 'owner' },
  { name: 'security', path: '/user/settings/security', as: 'owner' },
  { name: 'sessions', path: '/user/settings/sessions', as: 'owner' },
];
