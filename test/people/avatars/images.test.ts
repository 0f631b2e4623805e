import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { AVATAR_LIMITS } from '../../../src/people/avatars/limits.ts';
import { MANY_EXPRESSIONS, startServerProcess } from '../../code/transport/server-process.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { request } from '../../support/http/http.ts';
import {
  ANIMATED_GIF,
  ANIMATED_WEBP,
  BLUE,
  CMYK_JPEG,
  chunkOf,
  GIF,
  isNear,
  JPEG,
  LOSSLESS_WEBP,
  PLAIN_CMYK_JPEG,
  type PngForm,
  PROGRESSIVE_JPEG,
  pngOf,
  RED,
  readPicture,
  TURNED_JPEG,
  WEBP,
  YCCK_JPEG,
} from './pictures.ts';

const AVATAR = '/api/v1/user/avatar';

/** Returns a PNG that has as many bytes as the limit says, as base64. */
function largestPicture(): string {
  const [header, rest] = [pngOf().subarray(0, 33), pngOf().subarray(33)];
  const space =
    AVATAR_LIMITS.avatarBytesMax - header.length - rest.length - chunkOf('tEXt', Buffer.alloc(0)).length;
  const png = Buffer.concat([header, chunkOf('tEXt', Buffer.alloc(space, 'Comment\0a long text ')), rest]);
  assert.equal(png.length, AVATAR_LIMITS.avatarBytesMax);
  return png.toString('base64');
}

async function sent(who: Person, image: string): Promise<number> {
  return (await who.post(AVATAR, { image })).status;
}

/** Sends a picture, and reads what the server has made of it. */
async function stored(who: Person, image: string) {
  const changed = await who.post(AVATAR, { image });
  assert.equal(changed.status, 204, changed.text);
  const { avatar_url } = (await who.get('/api/v1/user')).body;
  const response = await fetch(avatar_url);
  assert.equal(response.headers.get('content-type'), 'image/png');
  const bytes = Buffer.from(await response.arrayBuffer());
  return { bytes, picture: readPicture(bytes) };
}

test('pictures of each format become a PNG of the same pixels', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const pictures = {
    JPEG,
    PROGRESSIVE_JPEG,
    CMYK_JPEG,
    YCCK_JPEG,
    PLAIN_CMYK_JPEG,
    GIF,
    ANIMATED_GIF,
    WEBP,
    LOSSLESS_WEBP,
    PNG: pngOf().toString('base64'),
  };
  for (const [format, image] of Object.entries(pictures)) {
    const { picture } = await stored(ada, image);
    assert.deepEqual([picture.width, picture.height], [16, 16], format);
    assert.ok(isNear(picture.at(2, 8), RED), `${format}: ${picture.at(2, 8)}`);
    assert.ok(isNear(picture.at(13, 8), BLUE), `${format}: ${picture.at(13, 8)}`);
  }
});

test('a PNG may have every color type, depth and filter, and be interlaced', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const isLeft = (x: number) => x < 8;
  const palette = [BLUE, RED];
  const forms: readonly (readonly [PngForm, left: readonly number[], right: readonly number[]])[] = [
    ...[1, 2, 3, 4].map((filter) => [{ filter }, [...RED, 255], [...BLUE, 255]] as const),
    ...[1, 2, 4, 8].map((depth) => {
      const top = 2 ** depth - 1;
      const pixel = (x: number) => [isLeft(x) ? top : 0];
      return [{ depth, color: 0, pixel }, [255, 255, 255, 255], [0, 0, 0, 255]] as const;
    }),
    ...[1, 2, 4, 8].map((depth) => {
      const pixel = (x: number) => [isLeft(x) ? 1 : 0];
      return [{ depth, color: 3, palette, pixel }, [...RED, 255], [...BLUE, 255]] as const;
    }),
    [
      { color: 3, palette, transparency: Buffer.from([0]), pixel: (x) => [isLeft(x) ? 1 : 0] },
      [...RED, 255],
      [0, 0, 0, 0],
    ],
    [
      { color: 0, pixel: (x) => [isLeft(x) ? 7 : 9], transparency: Buffer.from([0, 9]) },
      [7, 7, 7, 255],
      [0, 0, 0, 0],
    ],
    [{ color: 2, transparency: Buffer.from([0, 20, 0, 20, 0, 220]) }, [...RED, 255], [0, 0, 0, 0]],
    [{ color: 4, pixel: (x) => (isLeft(x) ? [7, 255] : [9, 128]) }, [7, 7, 7, 255], [9, 9, 9, 128]],
    [
      { color: 6, pixel: (x) => (isLeft(x) ? [1, 2, 3, 255] : [4, 5, 6, 128]) },
      [1, 2, 3, 255],
      [4, 5, 6, 128],
    ],
    [{ depth: 16 }, [...RED, 255], [...BLUE, 255]],
    [{ depth: 16, color: 0, pixel: (x) => [isLeft(x) ? 7 : 9] }, [7, 7, 7, 255], [9, 9, 9, 255]],
    [{ isInterlaced: true }, [...RED, 255], [...BLUE, 255]],
    [
      { isInterlaced: true, depth: 2, color: 3, palette, pixel: (x) => [isLeft(x) ? 1 : 0] },
      [...RED, 255],
      [...BLUE, 255],
    ],
  ];
  for (const [form, left, right] of forms) {
    const { picture } = await stored(ada, pngOf(form).toString('base64'));
    const about = JSON.stringify(form);
    for (let y = 0; y < 16; y += 1) {
      assert.deepEqual(picture.at(7, y), left, about);
      assert.deepEqual(picture.at(8, y), right, about);
    }
  }
});

test('a picture is cut to a square and made smaller, by the average of its pixels', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const side = AVATAR_LIMITS.storedAvatarSideMax;
  const pixel = (x: number, y: number) =>
    x < 100 ? [0, 255, 0] : (x + y) % 2 === 0 ? [200, 0, 0] : [0, 0, 100];
  const wide = await stored(
    ada,
    pngOf({ width: 2 * side + 200, height: 2 * side, pixel }).toString('base64'),
  );

  assert.deepEqual([wide.picture.width, wide.picture.height], [side, side]);
  for (const at of [0, side - 1]) assert.deepEqual(wide.picture.at(at, at), [100, 0, 50, 255]);
  const small = await stored(ada, pngOf({ width: 3, height: 5 }).toString('base64'));
  assert.deepEqual([small.picture.width, small.picture.height], [3, 3]);
});

test('the orientation of a photo is kept, and everything else that it says is left out', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { bytes, picture } = await stored(ada, TURNED_JPEG);

  assert.ok(isNear(picture.at(8, 2), RED), String(picture.at(8, 2)));
  assert.ok(isNear(picture.at(8, 13), BLUE), String(picture.at(8, 13)));
  assert.doesNotMatch(bytes.toString('latin1'), /secret|Exif/);
  const png = await stored(ada, pngOf().toString('base64'));
  assert.doesNotMatch(png.bytes.toString('latin1'), /secret|tEXt/);
});

/** A PNG that says that it has this size. */
function pngOfSize(width: number, height: number): Buffer {
  const png = pngOf();
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

test('F8: a picture that is too large is rejected by what its header says', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const gif = Buffer.from(GIF, 'base64');
  gif.writeUInt16LE(50_000, 6);
  gif.writeUInt16LE(50_000, 8);
  const jpeg = Buffer.from(JPEG, 'base64');
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  jpeg.writeUInt16BE(50_000, frame + 5);
  jpeg.writeUInt16BE(50_000, frame + 7);
  const webp = Buffer.from(LOSSLESS_WEBP, 'base64');
  webp.writeUInt32LE(0x0fffffff, 21);
  for (const bytes of [pngOfSize(50_000, 50_000), pngOfSize(8_000, 8_000), gif, jpeg, webp]) {
    const { status, text } = await ada.post(AVATAR, { image: bytes.toString('base64') });
    assert.equal(status, 422, text);
    assert.match(text, /pixels/);
  }
  for (const bytes of [pngOfSize(0, 1), pngOfSize(8_000, 1_000)])
    assert.equal(await sent(ada, bytes.toString('base64')), 422);
});

test('a PNG that expands to more than its header allows is rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const isInterlaced of [false, true]) {
    const bomb = pngOf({ width: 1_000, height: 1_000, pixel: () => [0, 0, 0], isInterlaced });
    bomb.writeUInt32BE(16, 16);
    bomb.writeUInt32BE(16, 20);
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
    assert.equal(await sent(ada, bomb.toString('base64')), 422);
  }
});

test('a PNG that gives its size twice, or not first, is rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const header = (side: number) => {
    const chunk = Buffer.from(pngOf().subarray(16, 29));
    chunk.writeUInt32BE(side, 0);
    chunk.writeUInt32BE(side, 4);
    return chunkOf('IHDR', chunk);
  };
  const [small, rest] = [pngOf().subarray(0, 33), pngOf().subarray(33)];
  const twice = Buffer.concat([small, header(9_000), rest]);
  const again = Buffer.concat([small, header(16), rest]);
  for (const bytes of [twice, again]) assert.equal(await sent(ada, bytes.toString('base64')), 422);
  assert.equal(await sent(ada, Buffer.concat([small, rest]).toString('base64')), 204);
});

test('a picture may have as many bytes as the limit says, for users, organizations and repositories', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  assert.equal((await ada.post('/api/v1/orgs', { username: 'guild' })).status, 201);
  const image = largestPicture();
  for (const url of [AVATAR, '/api/v1/orgs/guild/avatar', '/api/v1/repos/ada/engine/avatar']) {
    const answer = await ada.post(url, { image });
    assert.equal(answer.status, 204, `${url}: ${answer.text}`);
  }
});

test('a server that has compiled very many regular expressions stores a picture of the largest size', async (t) => {
  const forge = await startServerProcess(t, MANY_EXPRESSIONS);
  const answer = await request('POST', `${forge.url}${AVATAR}`, {
    as: forge.admin,
    json: { image: largestPicture() },
  });
  assert.equal(answer.status, 204, answer.text);
});

test('the base64 of a picture may have line breaks', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const end of ['\n', '\r\n']) {
    const lines = JPEG.match(/.{1,76}/g) ?? [];
    const { picture } = await stored(ada, lines.map((line) => line + end).join(''));
    assert.equal(picture.width, 16);
  }
});

test('a picture of 4096 × 4096 pixels is accepted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const side = 4_096;
  const row = Array.from({ length: side }, (_, x) => (x < side / 2 ? 0 : 1));
  const image = pngOf({
    width: side,
    height: side,
    depth: 1,
    color: 3,
    palette: [RED, BLUE],
    pixel: (x) => [row[x] ?? 0],
  });
  const { picture } = await stored(ada, image.toString('base64'));
  assert.ok(isNear(picture.at(2, 128), RED));
});

test('400 and 422: what is not a picture in base64', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const unusable = [svg, 'GIF89a', '\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF1234WEBPVP8 ', 'BM123456', 'x'];

  for (const text of unusable)
    assert.equal(await sent(ada, Buffer.from(text, 'latin1').toString('base64')), 422, text);
  assert.equal(await sent(ada, ANIMATED_WEBP), 422);
  assert.equal(await sent(ada, ''), 422);
  assert.equal((await ada.post(AVATAR, {})).status, 422);
  for (const text of [
    '*',
    'a',
    'abc',
    `${GIF}=`,
    `data:image/gif;base64,${GIF}`,
    `${GIF.slice(0, 8)}\n${GIF.slice(8)}=`,
  ])
    assert.equal(await sent(ada, text), 400, text);
  assert.equal((await ada.post(AVATAR, { image: 7 })).status, 422);
  const large = await ada.post(AVATAR, {
    image: 'A'.repeat(Math.ceil(AVATAR_LIMITS.avatarBytesMax / 3) * 4 + 4),
  });
  assert.equal(large.status, 413, large.text);
  assert.match(large.body.message, /a picture has at most 4194304 bytes/);
  assert.match((await ada.get('/api/v1/user')).body.avatar_url, /\/avatars\/[0-9a-f]{32}$/);
});

test('F8: truncated and corrupt pictures are rejected or stored, and the server stays up', {
  timeout: 120_000,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const pictures = [JPEG, PROGRESSIVE_JPEG, CMYK_JPEG, GIF, ANIMATED_GIF, WEBP, LOSSLESS_WEBP].map((image) =>
    Buffer.from(image, 'base64'),
  );
  const png = pngOf({ isInterlaced: true, filter: 4 });
  const change = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) });
  const damaged = fc
    .record({
      picture: fc.constantFrom(...pictures, png),
      changes: fc.array(change, { maxLength: 6 }),
      length: fc.option(fc.nat(), { nil: undefined }),
    })
    .map(({ picture, changes, length }) => {
      const bytes = Buffer.from(picture);
      for (const { at, value } of changes) bytes[at % bytes.length] = value;
      return length === undefined ? bytes : bytes.subarray(0, Math.max(length % bytes.length, 1));
    });
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(damaged, async (bytes) => {
      const status = await sent(ada, bytes.toString('base64'));
      statuses.add(status);
      return [204, 422].includes(status);
    }),
    { numRuns: 150 },
  );
  for (const picture of [...pictures, png])
    assert.equal(
      await sent(ada, picture.subarray(0, Math.floor(picture.length / 2)).toString('base64')),
      422,
    );
  assert.deepEqual([...statuses].sort(), [204, 422]);
  assert.equal(await sent(ada, JPEG), 204);
});
