import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFERENCE_LIMITS } from '../../../src/tracker/references/limits.ts';
import type { IssueReference, References } from '../../../src/tracker/references/model.ts';
import {
  referencesInIssue,
  referencesInMarkdown,
  referencesInMessage,
} from '../../../src/tracker/references/parse.ts';

// Runs once: no outcome depends on the database.

const OPTIONS = { baseUrl: 'https://forge.example:3000/' };

const NONE: References = { mentions: [], teams: [], issues: [], commits: [] };

const inMarkdown = (text: string) => referencesInMarkdown(text, OPTIONS);
const inMessage = (text: string) => referencesInMessage(text, OPTIONS);

/** `ada/engine#3 closes 90s`, as short as the text itself. */
function shortly({ repository, sign, number, keyword, spentSeconds }: IssueReference): string {
  const path = repository === undefined ? '' : `${repository.owner}/${repository.name}`;
  const work = spentSeconds === undefined ? '' : ` ${spentSeconds}s`;
  return `${path}${sign}${number}${keyword === undefined ? '' : ` ${keyword}`}${work}`;
}

const issuesOf = (references: References) => references.issues.map(shortly);

/** Texts with the issues that they refer to, in Markdown and in commit messages. */
const ISSUES: readonly [text: string, issues: readonly string[]][] = [
  ['Simply closes: #29 yes', ['#29 closes']],
  ['Simply closes: !29 yes', ['!29 closes']],
  [' #124 yes, this is a reference.', ['#124']],
  ['This user3/repo4#200 yes.', ['user3/repo4#200']],
  ['This user3/repo4!200, yes.', ['user3/repo4!200']],
  ['Reopens #15 yes', ['#15 reopens']],
  ['This closes #20 for you yes', ['#20 closes']],
  ['Do you fix user6/repo6#300 ? yes', ['user6/repo6#300 closes']],
  ['FIXED #1, Resolved: #2. Reopen #3! reopened #4', ['#1 closes', '#2 closes', '#3 reopens', '#4 reopens']],
  [
    'close #1 closed #2 fixes #3 resolve #4 resolves #5',
    ['#1', '#2', '#3', '#4', '#5'].map((one) => `${one} closes`),
  ],
  ['This closes #600 and reopens #599', ['#600 closes', '#599 reopens']],
  ['For 999 #1235 no keyword, but yes', ['#1235']],
  ['For [!123] yes', ['!123']],
  ['For (#345) yes', ['#345']],
  ['(fixes #345)', ['#345 closes']],
  ['For #22,#23 no, neither #28:#29 or !30!31#32;33 should', []],
  ['For #24, and #25. yes; also #26; #27? #28! and #29: should', ['#24', '#25', '#26', '#27', '#28', '#29']],
  ["Merge pull request '#12345 My fix for a bug' (!1337) from a into b", ['#12345', '!1337']],
  ['Which abc. #9434 same as above', ['#9434']],
  ['prefixes #3, disclose #4, fixes  #5, fixes\t#6', ['#3', '#4', '#5', '#6']],
  ['#0, # 1, #x, #1A, a#1, #99999999999999999999', []],
  ['#9007199254740991 but not #9007199254740993', ['#9007199254740991']],
  ['#1 #2\n#3', ['#1', '#2', '#3']],
  ['see #3, closes #3, then #3', ['#3 closes']],
  ['closes #3, reopens #3', ['#3 reopens']],
  ['a/b#3 A/B#3', ['a/b#3']],
  ['a/b/c#3 and /b#3 and a/#3', []],
  ['https://forge.example:3000/user4/repo5/pulls/202 yes', ['user4/repo5!202']],
  ['closes https://forge.example:3000/user4/repo5/issues/202.', ['user4/repo5#202 closes']],
  ['HTTP://FORGE.Example:3000/user4/repo5/issues/202#issuecomment-7', ['user4/repo5#202']],
  ['https://forge.example:3000/user4/repo5/201, https://forge.example:3000/a/b/issues/x', []],
  ['https://forge.example/user4/repo5/issues/202 https://other.example:3000/a/b/issues/3', []],
  ['https://evil.example/?u=https://forge.example:3000/a/b/issues/3', []],
  ['https://other.example/a?b=(#3) ftp://x/(#4)', []],
  [
    'This fixes #100 spent @40m and reopens #101, also fixes #102 spent @4h15m',
    ['#100 closes 2400s', '#101 reopens', '#102 closes 15300s'],
  ],
  ['@1d4h before #5, @2w after', ['#5 43200s']],
  ['#5 @1.5h, #6 @0,5m.', ['#5 5400s', '#6 30s']],
  ['#5 @1x @h @1h2', ['#5']],
];

test('issues are found as the reference finds them, with their keywords', async () => {
  for (const [text, issues] of ISSUES) {
    assert.deepEqual(issuesOf(await inMarkdown(text)), issues, `Markdown: ${text}`);
    assert.deepEqual(issuesOf(inMessage(text)), issues, `message: ${text}`);
  }
});

/** Markdown with the issues that it refers to. */
const MARKDOWN: readonly [text: string, issues: readonly string[]][] = [
  ['```\nThis is a code block.\n#723 no, it is a code block.```', []],
  ['~~~\n#1\n~~~\n#2', ['#2']],
  ['> ```\n> #1\n\n#2', ['#2']],
  ['- a\n\n      #1 is code\n\n  #2', ['#2']],
  ['    #1 is code\n\n#2', ['#2']],
  ['This `#724` no, it is code, and ``a ` #725`` too', []],
  ['An unpaired ` does not hide #1', ['#1']],
  ['This [one](#919) no, [#3](https://other.example/) no', []],
  ['This [two](/user2/repo1/issues/921) yes.', ['user2/repo1#921']],
  ['This [three](/user2/repo1/pulls/922) yes.', ['user2/repo1!922']],
  ['closes [four](http://forge.example:3000/user3/repo4/issues/203)yes', ['user3/repo4#203 closes']],
  ['[five](http://other.example/user3/repo4/issues/204) no, [six](//forge.example:3000/a/b/issues/5) no', []],
  ['<https://forge.example:3000/a/b/issues/3>', ['a/b#3']],
  ['[a]\n\n[a]: /a/b/issues/3', ['a/b#3']],
  ['![#3](x.png "#4")', []],
  ['# #1\n\n- #2\n1. #3\n\n> #4\n\n|a|\n|-|\n|#5|', ['#1', '#2', '#3', '#4', '#5']],
  ['**fixes** #1, fixes **#2**, _#3_, ~~#4~~', ['#1 closes', '#2 closes', '#3', '#4']],
  ['a <!-- #1 --> <i title="#2">#3</i> <code>#4</code> <a href="/x">#5</a>', ['#3']],
  ['<div>\n#1\n</div>\n\n#2', ['#2']],
  ['<b title="\n#1">#2</b>', ['#2']],
  ['a &#35;1 \\#2', ['#1', '#2']],
];

test('code, HTML and the texts of links refer to nothing', async () => {
  for (const [text, issues] of MARKDOWN) assert.deepEqual(issuesOf(await inMarkdown(text)), issues, text);
});

test('a commit message has no markup', () => {
  assert.deepEqual(issuesOf(inMessage('Say `x #1 y`\n\n    closes #2\n<!-- #3 -->')), [
    '#1',
    '#2 closes',
    '#3',
  ]);
});

/** Titles and texts of issues, with the issues that they refer to. */
const TITLED: readonly [title: string, body: string, issues: readonly string[]][] = [
  ['Fixes #1', '', ['#1 closes']],
  ['', 'Fixes #1', ['#1 closes']],
  ['See #1 @1h', 'Fixes #1 @2h, and a/b#2', ['#1 closes 3600s', 'a/b#2']],
  ['Fixes #1 and #2', 'reopens #2 and names #1', ['#1 closes', '#2 reopens']],
  ['Say `x #1 y`', '`x #2 y`', ['#1']],
  ['fixes', '#1', ['#1']],
  ['    #1', '    #2', ['#1']],
];

test('an issue refers to what its title and its text name', async () => {
  for (const [title, body, issues] of TITLED)
    assert.deepEqual(issuesOf(await referencesInIssue({ title, body }, OPTIONS)), issues, `${title}|${body}`);
  const { mentions, teams } = await referencesInIssue({ title: '@ada @a/b', body: '@ben @c/d' }, OPTIONS);
  assert.deepEqual([mentions, teams], [['ben'], [{ organization: 'c', team: 'd' }]]);
  const many = Array.from({ length: REFERENCE_LIMITS.referencesPerTextMax }, (_, each) => `#${each + 2}`);
  const { issues } = await referencesInIssue({ title: '#1', body: many.join(' ') }, OPTIONS);
  assert.equal(issues.length, REFERENCE_LIMITS.referencesPerTextMax);
});

/** Texts with the names that they mention. */
const MENTIONS: readonly [text: string, names: readonly string[]][] = [
  ['@tasha, @mike; @lucy: @john', ['tasha', 'mike', 'lucy', 'john']],
  ['@ANT_123 (@a.b) [@c-d] @e! @f? @g.', ['ANT_123', 'a.b', 'c-d', 'e', 'f', 'g']],
  ["@ada's\n@grace!\nthis", ['ada', 'grace']],
  ['@ada and @Ada', ['ada']],
  ['@ 0 @.abc a@b.example /home/x/@y "@z" @@q @r!this @s,this', []],
  ['https://x.example/@ada mailto:a@b', []],
  ['@a/team1; @a/team1/more', []],
];

test('mentions are found as the reference finds them', async () => {
  for (const [text, names] of MENTIONS) {
    assert.deepEqual((await inMarkdown(text)).mentions, names, `Markdown: ${text}`);
    assert.deepEqual(inMessage(text).mentions, names, `message: ${text}`);
  }
  assert.deepEqual(await inMarkdown('`@ada` and\n\n    @ada'), NONE);
  assert.deepEqual((await inMarkdown('**@ada** _@grace_')).mentions, ['ada', 'grace']);
});

test('a mention of a team names its organization', async () => {
  const { teams, mentions } = await inMarkdown('@acme/devs, @ACME/Devs and (@acme/ops)');
  assert.deepEqual(teams, [
    { organization: 'acme', team: 'devs' },
    { organization: 'acme', team: 'ops' },
  ]);
  assert.deepEqual(mentions, []);
});

test('ids of commits have 7 to 64 hex digits', async () => {
  const sha256 = 'ab12'.repeat(16);
  const text = `See d8a994e, abc123 no, (${sha256}) yes, ${sha256}0 no, a/b@d8a994ef; D8A994EF no, xd8a994ef no`;
  const commits = [
    { id: 'd8a994e' },
    { id: sha256 },
    { repository: { owner: 'a', name: 'b' }, id: 'd8a994ef' },
  ];
  assert.deepEqual((await inMarkdown(text)).commits, commits);
  assert.deepEqual(inMessage(text).commits, commits);
  assert.deepEqual(inMessage('https://forge.example:3000/a/b/commit/d8a994ef').commits, commits.slice(2));
});

test('a base URL may have a path', () => {
  const options = { baseUrl: 'http://forge.example/git' };
  const text = 'http://forge.example/git/a/b/issues/3 http://forge.example/a/b/issues/4';
  assert.deepEqual(issuesOf(referencesInMessage(text, options)), ['a/b#3']);
});

test('references beyond the limits do not count', async () => {
  const many = Array.from({ length: REFERENCE_LIMITS.referencesPerTextMax + 50 }, (_, index) => index + 1);
  const text = many.map((number) => `#${number} @user${number} @org/team${number} ${1e6 + number}`).join(' ');
  for (const references of [await inMarkdown(text), inMessage(text)]) {
    for (const list of Object.values(references))
      assert.equal(list.length, REFERENCE_LIMITS.referencesPerTextMax);
  }
  const atTheEnd = `${'x'.repeat(REFERENCE_LIMITS.referenceTextCharsMax - 4)} #12345 #6`;
  assert.deepEqual(await inMarkdown(atTheEnd), NONE);
  assert.deepEqual(inMessage(atTheEnd), NONE);
  assert.deepEqual(inMessage('#1'.padStart(REFERENCE_LIMITS.referenceTextCharsMax)).issues.length, 1);
  assert.deepEqual(inMessage('x'.repeat(REFERENCE_LIMITS.referenceTextCharsMax + 1)), NONE);
});
