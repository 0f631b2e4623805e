import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { nodesIn, parse, repositoryTexts, type Source, sample } from './sources.ts';

// Runs once: no outcome depends on the database.

interface Rule {
  readonly words: RegExp;
  readonly instead: string;
}

const RULES: readonly Rule[] = [
  { words: /\bwho(?:m)?ever\b/gi, instead: 'a concrete subject: the caller, a user, a reader' },
  { words: /\b(?:nobody|somebody)(?:'s| else)?\b/gi, instead: 'a concrete subject: no caller, a user' },
  { words: /\balike\b/gi, instead: '"the same", "both" or "in the same way"' },
  { words: /\bsuch +(?:that|as) +are\b/gi, instead: 'the plain noun' },
  { words: /\bbe +(?:it|they)\b/gi, instead: '"even" or "also"' },
  {
    words: /\bwhat(?:ever)? +(?:is|are|was|were)\b[^.,;:!?]{0,60}? +(?:is|are|was|were)\b/gi,
    instead: 'a noun',
  },
  { words: /\b(?:tells?|told|telling)\b/gi, instead: '"returns", "reports", "shows" or "notifies"' },
  { words: /\brules? +\d+\b/gi, instead: 'what the rule says' },
  {
    words:
      /\b(?:behaviou|favou|colou|honou|neighbou|labou|flavou|rumou)r\w*|\blicences?\b|\b(?:cancel|label|model|travel|signal)l(?:ed|ing)\b|\b(?:catalogue|centre|defence|dialogue|grey|whilst|amongst|learnt|artefact|fulfil|judgement)s?\b|\b(?:organi|recogni|initiali|seriali|normali|authori|optimi|synchroni|minimi|summari)s(?:e|es|ed|ing|ation)\b|\banalys(?:e|es|ed|ing)\b/gi,
    instead: 'American spelling',
  },
];

/** Written by a tool, by third parties, or for this test. */
const NOT_OURS =
  /^(?:LICENSE|package-lock\.json|bench\/results\/|src\/hosting\/templates\/gitignore\/|test\/tidy\/words\.test\.ts)|\/generated\//;

/** Texts that clients match on, or that other programs print. Each is used somewhere. */
const WIRE_TEXTS: readonly string[] = [];

interface Passage {
  readonly text: string;
  /** offset in the file */
  readonly start: number;
}

/** Comments and texts with spaces; a text without a space is a name. */
function passagesOf(source: Source): readonly Passage[] {
  if (source.path.endsWith('.md')) return [{ text: withoutQuotes(source.text), start: 0 }];
  if (!/\.(?:ts|mjs|cjs)$/.test(source.path)) return [];
  const literals = [...nodesIn(parse(source))].filter(isLiteral);
  const texts = literals.map((node) => ({ text: node.text, start: node.getStart() }));
  const code = blanked(source.text, literals);
  const comments = [...code.matchAll(/\/\/.*(?:\n[ \t]*\/\/.*)*|\/\*[\s\S]*?\*\//g)].map((match) => ({
    text: match[0],
    start: match.index,
  }));
  return [...texts.filter(({ text }) => /\S\s+\S/.test(text)), ...comments];
}

type Literal = ts.LiteralLikeNode;

function isLiteral(node: ts.Node): node is Literal {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node)
  );
}

/** The text with spaces in place of `nodes`, so that what remains of `//` begins a comment. */
function blanked(text: string, nodes: readonly ts.Node[]): string {
  let rest = '';
  let end = 0;
  for (const node of nodes.toSorted((one, other) => one.getStart() - other.getStart())) {
    rest += text.slice(end, node.getStart()) + ' '.repeat(node.end - node.getStart());
    end = node.end;
  }
  return rest + text.slice(end);
}

/** A page may quote the words that it discusses. */
function withoutQuotes(page: string): string {
  return page.replace(/`[^`\n]*`|"[^"\n]*"/g, (quoted) => ' '.repeat(quoted.length));
}

/** Removes line breaks and comment marks, and keeps every offset. */
function flattened(text: string): string {
  return text.replace(/\n\s*(?:\*|\/\/)?/g, (mark) => ' '.repeat(mark.length));
}

function badWords(source: Source): string[] {
  const all = flattened(source.text);
  if (!RULES.some(({ words }) => all.search(words) !== -1)) return [];
  return passagesOf(source).flatMap(({ text, start }) =>
    RULES.flatMap(({ words, instead }) =>
      [...flattened(text).matchAll(words)]
        .filter(() => !WIRE_TEXTS.includes(text))
        .map((found) => {
          const line = source.text.slice(0, start + found.index).split('\n').length;
          return `${source.path}:${line} says "${found[0].replace(/\s+/g, ' ')}"; write ${instead}`;
        }),
    ),
  );
}

test('comments, texts and pages are in plain American English', () => {
  const texts = repositoryTexts().filter(({ path }) => !NOT_OURS.test(path));
  assert.deepEqual(texts.flatMap(badWords), []);
});

test('bad words are found in comments, in texts and on pages', () => {
  const bad = [
    '// Whoever asks is answered.',
    '/**\n * A name that no-one has, so nobody\n * finds it.\n */',
    "test('both are treated alike', () => {});",
    `const message = \`\${name} tells nothing new\`;`,
    '// What is hidden from a viewer is missing.',
    '// what\n// is sent is stored',
    "throw new Error('the colour is unknown');",
    "test('rule 4: an archive is found', () => {});",
  ];
  for (const text of bad) assert.equal(badWords(sample('src/notes/notebooks/all.ts', text)).length, 1, text);
  assert.deepEqual(badWords(sample('a.md', 'One line.\nThe behaviour of git.')), [
    'a.md:2 says "behaviour"; write American spelling',
  ]);
});

test('names, quotes and plain words are not found', () => {
  const good = [
    "const name = 'nobody';",
    'const colour = 1;',
    'const url = /^https?:\\/\\/nobody/;',
    '// The catalog of licenses.',
  ];
  for (const text of good) assert.deepEqual(badWords(sample('src/notes/notebooks/all.ts', text)), [], text);
  assert.deepEqual(badWords(sample('a.md', 'Avoid "whoever" and `nobody`.')), []);
});
