import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Base64Decoder } from '../../src/code/contents/base64.ts';
import { LongMembers, type MemberPath } from '../../src/http/long-member.ts';

// Runs once: no outcome depends on the database.

/** Cuts the members at `path` out of a JSON text that arrives in pieces of these sizes. */
function cut(json: string, path: MemberPath, sizes: readonly number[]): { rest: string; longs: string[] } {
  const longs: string[] = [];
  const text = {
    begin: () => `${longs.push('') - 1}`,
    write: (part: string) => {
      longs[longs.length - 1] += part;
    },
  };
  const members = new LongMembers(path, text, { restBytesMax: 1_000_000 });
  const bytes = Buffer.from(json);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    assert.ok(members.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return { rest: members.rest(), longs };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return 'not JSON';
  }
}

/** JSON as `JSON.parse` reads it, put together from the rest and the long members. */
function joined(json: string, path: MemberPath, sizes: readonly number[]): unknown {
  const { rest, longs } = cut(json, path, sizes);
  return withLongs(parsed(rest), path, longs);
}

function withLongs(value: unknown, path: MemberPath, longs: readonly string[]): unknown {
  const [step, ...further] = path;
  if (step === undefined) return typeof value === 'string' ? longs[Number(value)] : value;
  if (Array.isArray(value))
    return step === null ? value.map((each) => withLongs(each, further, longs)) : value;
  if (value === null || typeof value !== 'object' || step === null || !Object.hasOwn(value, step))
    return value;
  const member = (value as Record<string, unknown>)[step];
  return { ...value, [step]: withLongs(member, further, longs) };
}

const PATHS: readonly MemberPath[] = [['content'], ['files', null, 'content']];
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const word = fc.constantFrom(
  'content',
  'cont\\u0065nt',
  'a',
  'x\\"content',
  '',
  'QUJD',
  '\\/\\n\\u002b',
  '{"}',
);
const value = fc.oneof(
  word.map((text) => `"${text}"`),
  fc.constantFrom('1', 'null', 'true', '[]', '{}', '["content","a"]', '{"content":"b"}', '[{"content":"c"}]'),
);
const gap = fc.constantFrom('', ' ', '\n\t');
const member = fc
  .tuple(gap, word, gap, value)
  .map(([before, key, after, text]) => `${before}"${key}"${after}:${text}`);
const objects = fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(',')}}`);
const lists = fc.array(fc.oneof(objects, value), { maxLength: 4 }).map((each) => `[${each.join(',')}]`);
const file = fc.tuple(
  fc.constantFrom('files', 'f\\u0069les', 'content', 'a'),
  fc.oneof(lists, objects, value),
);
const nested = fc
  .array(
    fc.oneof(
      file.map(([key, list]) => `"${key}":${list}`),
      member,
    ),
    { maxLength: 4 },
  )
  .map((members) => `{${members.join(', ')}}`);

test('an object without its long members, and those members, are together what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.oneof(objects, nested), fc.constantFrom(...PATHS), sizes, (json, path, pieces) => {
      assert.deepEqual(joined(json, path, pieces), parsed(json), json);
    }),
    { numRuns: 1_000 },
  );
});

test('every string at the path is cut out, and no other one', () => {
  const { rest, longs } = cut(
    '{"content":"a","files":[{"content":"b","x":{"content":"c"}},["content"],{"a":1,"content":"d","path":"e"}]}',
    ['files', null, 'content'],
    [1],
  );

  assert.deepEqual(longs, ['b', 'd']);
  assert.equal(
    rest,
    '{"content":"a","files":[{"content":"0","x":{"content":"c"}},["content"],{"a":1,"content":"1","path":"e"}]}',
  );
});

test('a long member arrives as the bytes of its UTF-8, escaped or not, and half a character as invalid ones', () => {
  const bytesOf = (json: string, size: number) =>
    Buffer.from(cut(json, ['content'], [size]).longs.join(''), 'latin1');
  const escaped = (text: string) =>
    [...text.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const part = fc.constantFrom('a', '\u00e9', '\u20ac', '\ud83d\ude00', '\u{10ffff}', '\u0080', '\u07ff');
  const texts = fc.array(fc.tuple(part, fc.boolean()), { maxLength: 6 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (parts, size) => {
      const json = parts.map(([text, isEscaped]) => (isEscaped ? escaped(text) : text)).join('');
      const whole = Buffer.from(parts.map(([text]) => text).join(''));
      assert.deepEqual(bytesOf(`{"content":"${json}"}`, size), whole, json);
    }),
    { numRuns: 500 },
  );
  for (const half of ['\\ud83d', '\\ude00', '\\ud83dx', '\\ud83d\\ud83d\\ude00', '\\ud83d\\n']) {
    const bytes = bytesOf(`{"content":"${half}"}`, 1);
    assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes), half);
  }
});

test('a text is JSON without its long members exactly if it is JSON with them', () => {
  const noise = fc.constantFrom('"', '\\', '{', '}', ',', ':', '\u0001', '\\u12', '\\x', 'é', '[', '\ufeff');
  const texts = fc.tuple(fc.oneof(objects, nested), noise, fc.nat()).map(([json, extra, at]) => {
    const position = at % (json.length + 1);
    return json.slice(0, position) + extra + json.slice(position);
  });
  fc.assert(
    fc.property(fc.oneof(texts, value), fc.constantFrom(...PATHS), sizes, (json, path, pieces) => {
      const { rest } = cut(json, path, pieces);
      assert.equal(parsed(rest) === 'not JSON', parsed(json) === 'not JSON', json);
    }),
    { numRuns: 2_000 },
  );
});

test('base64 in pieces decodes to the same bytes, and is as valid, as in one piece', () => {
  const whole = (text: string): Buffer | undefined => {
    const plain = text.includes('\n') ? text.replace(/[\r\n]/g, '') : text;
    const isValid = plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain);
    return isValid ? Buffer.from(plain, 'base64') : undefined;
  };
  const inPieces = (pieces: readonly string[]): Buffer | undefined => {
    const decoder = new Base64Decoder();
    const decoded = pieces.map((piece) => decoder.write(piece));
    const end = decoder.end();
    return end === undefined ? undefined : Buffer.concat([...decoded, end]);
  };
  const piece = fc.array(fc.constantFrom('A', 'QUJD', '+/', '=', '==', '\r\n', '\n', '\r', '-', '', 'zz'), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(
      fc.array(
        piece.map((parts) => parts.join('')),
        { maxLength: 6 },
      ),
      (pieces) => {
        assert.deepEqual(inPieces(pieces), whole(pieces.join('')), JSON.stringify(pieces));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('nothing after an invalid escape is read, because the body is not JSON', () => {
  for (const invalid of ['\\q', '\\uzzzz', '\n']) {
    const { rest, longs } = cut(`{"content":"ab${invalid.repeat(50_000)}"}`, ['content'], [60_000]);
    assert.equal(parsed(rest), 'not JSON');
    assert.ok(rest.length < 100, `${rest.length} bytes for ${JSON.stringify(invalid)}`);
    assert.ok((longs[0] ?? '').length < 60_000);
  }
});
