import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Base64Decoder } from '../../src/core/base64.ts';
import { LongMember } from '../../src/http/long-member.ts';

/** Cuts the member `content` out of a JSON text that arrives in pieces of these sizes. */
function cut(json: string, sizes: readonly number[]): { rest: string; long: string | undefined } {
  let long: string | undefined;
  const text = {
    restart: () => {
      long = '';
    },
    write: (part: string) => {
      long += part;
    },
  };
  const member = new LongMember('content', text, { restBytesMax: 1_000_000 });
  const bytes = Buffer.from(json);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    assert.ok(member.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return { rest: member.rest(), long };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return 'not JSON';
  }
}

/** JSON as `JSON.parse` reads it, put together from the two parts. */
function joined({ rest, long }: ReturnType<typeof cut>): unknown {
  const value = parsed(rest);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const { content } = value as { content?: unknown };
  return content === '' ? { ...value, content: long } : value;
}

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

test('an object without its long member, and that member, are together what JSON.parse reads', () => {
  fc.assert(
    fc.property(objects, sizes, (json, pieces) => {
      assert.deepEqual(joined(cut(json, pieces)), parsed(json), json);
    }),
    { numRuns: 500 },
  );
});

test('a text is JSON without its long member exactly if it is JSON with it', () => {
  const noise = fc.constantFrom('"', '\\', '{', '}', ',', ':', '\u0001', '\\u12', '\\x', 'é', '[', '\ufeff');
  const texts = fc.tuple(objects, noise, fc.nat()).map(([json, extra, at]) => {
    const position = at % (json.length + 1);
    return json.slice(0, position) + extra + json.slice(position);
  });
  fc.assert(
    fc.property(fc.oneof(texts, value), sizes, (json, pieces) => {
      const { rest } = cut(json, pieces);
      assert.equal(parsed(rest) === 'not JSON', parsed(json) === 'not JSON', json);
    }),
    { numRuns: 1_000 },
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
