import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { foldersAfterSweep, leftIn } from '../repositories/left-behind.ts';
import { type Files, GENERATE, template } from './template.ts';

const README_TEMPLATE =
  `# \${REPO_NAME} of $REPO_OWNER, by $TEMPLATE_OWNER/$TEMPLATE_NAME: $REPO_DESCRIPTION / $TEMPLATE_DESCRIPTION\n` +
  '$REPO_LINK $TEMPLATE_HTTPS_URL|$REPO_SSH_URL|\n' +
  `\${REPO_NAME_SNAKE} $REPO_NAME_KEBAB $REPO_NAME_CAMEL $REPO_NAME_PASCAL $REPO_NAME_UPPER $REPO_NAME_TITLE\n` +
  `$$REPO_NAME $\${REPO_NAME} $UNKNOWN \${UNKNOWN} $REPO_NAMES $ $$\n$YEAR\n`;
const README_EXPANDED =
  '# go-sdk of Ben, by ada/kit: It is $REPO_NAME / A kit\n' +
  'https://forge.example/sub/Ben/go-sdk https://forge.example/sub/ada/kit.git||\n' +
  'go_sdk go-sdk goSdk GoSdk GO-SDK Go-Sdk\n' +
  `$REPO_NAME \${REPO_NAME} $UNKNOWN \${UNKNOWN} $REPO_NAMES $ $$\n${new Date().getUTCFullYear()}\n`;

/** Generates the repository `ben/go-sdk` from a template with files to expand. */
async function generateGoSdk(t: TestContext) {
  const forge = await startForge(t, { baseUrl: 'https://forge.example/sub' });
  const [ada, ben] = [await forge.account('ada'), await forge.account('Ben')];
  await template(t, ada, {
    files: {
      '.gitea/template': '# what is filled in\n**.md\nsrc/**\n\nbinary\nlink\n',
      'README.md': README_TEMPLATE,
      'src/${REPO_NAME_PASCAL}/$REPO_NAME.ts': 'export const name = "$REPO_NAME";\n',
      'src/plain.ts': 'nothing\n',
      'other.txt': '$REPO_NAME\n',
      binary: Buffer.from('$REPO_NAME \xff\n', 'latin1'),
    },
    also: async (folder) => symlink('$REPO_NAME', join(folder, 'link')),
  });
  const body = { name: 'go-sdk', owner: 'ben', description: 'It is $REPO_NAME', git_content: true };
  const created = await ben.post(GENERATE, body);
  assert.equal(created.status, 201, created.text);
  const raw = async (path: string) => (await forge.get(`/api/v1/repos/ben/go-sdk/raw/${path}`)).text;
  return { forge, id: created.body.id, raw };
}

test('generating expands the files listed in .gitea/template', async (t) => {
  const { forge, id, raw } = await generateGoSdk(t);

  await t.test('every placeholder in a listed file is expanded', async () => {
    assert.equal(await raw('README.md'), README_EXPANDED);
    assert.equal(await raw('src/GoSdk/go-sdk.ts'), 'export const name = "go-sdk";\n');
    assert.equal(await raw('src/plain.ts'), 'nothing\n');
  });
  await t.test('other files stay the same', async () => {
    assert.equal(await raw('other.txt'), '$REPO_NAME\n');
  });
  await t.test('the new repository does not have the list', async () => {
    const { body } = await forge.get('/api/v1/repos/ben/go-sdk/contents');
    const entries = body.map((entry: { name: string; type: string }) => `${entry.type} ${entry.name}`);
    assert.deepEqual(entries, ['file README.md', 'file binary', 'symlink link', 'file other.txt', 'dir src']);
  });
  await t.test('C3: a symlink keeps its target', async () => {
    const { body } = await forge.get('/api/v1/repos/ben/go-sdk/contents/link');
    assert.equal(body.target, '$REPO_NAME');
  });
  await t.test('git fsck finds no problem', async () => {
    assert.deepEqual((await forge.forge.running.engines.git.upkeep.verify(id)).problems, []);
  });
});

test('C3: a template whose expanded paths collide or leave the tree is rejected, and nothing is created', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const refused: readonly (readonly [files: Files, also?: (folder: string) => Promise<void>])[] = [
    [{ '.gitea/template': '**', a$REPO_DESCRIPTION: '1', '.${REPO_DESCRIPTION}git/hooks/x': '2' }],
    [{ '.gitea/template': '**', $REPO_NAME: '1', mine: '2' }],
    [{ '.gitea/template': '**', $REPO_NAME: '1', '${REPO_NAME}': '2' }],
    [{ '.gitea/template': '**', '$REPO_NAME/x': '1' }, (folder) => symlink('/etc', join(folder, 'mine'))],
    [{ '.gitea/template': '**', $REPO_NAME: '1' }, (folder) => symlink('/etc', join(folder, 'mine'))],
    [{ '.gitea/template': '**', 'mine/x': '1', $REPO_NAME: '2' }],
    [{ '.forgejo/template': '[a', x: '1' }],
    [{ '.gitea/template': 'x'.repeat(300), x: '1' }],
    [{ '.gitea/template': 'x\n'.repeat(101), x: '1' }],
    [{ '.gitea/template': '#'.repeat(70_000), x: '1' }],
    [{ '.gitea/template': '**', x: '$REPO_LINK'.repeat(60_000) }],
  ];
  for (const [index, [files, also]] of refused.entries()) {
    await template(t, ada, also === undefined ? { files } : { files, also });
    const before = await leftIn(forge);

    const body = { name: 'mine', owner: 'ada', git_content: true, labels: true };
    const answer = await ada.post(GENERATE, body);

    assert.equal(answer.status, 422, `${index}: ${answer.text}`);
    assert.deepEqual(await leftIn(forge), before, `${index}`);
    assert.equal((await ada.delete('/api/v1/repos/ada/kit')).status, 204);
  }
  assert.deepEqual(await foldersAfterSweep(forge), []);
});
