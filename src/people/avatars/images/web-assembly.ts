import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFolder } from '../../../base/core/native/packages.ts';
import type { ImageHeader, Pixels } from './model.ts';
import { UnusableImageError } from './unusable-image.ts';

// libjpeg-turbo and libwebp, as WebAssembly: hostile files find no memory but that of their own instance.

/** The types of Node leave it out. */
const { Module, Instance } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
    };
  }
).WebAssembly;

interface Memory {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
}

interface JpegDecoder extends Memory {
  tjInitDecompress(): number;
  tjDecompressHeader3(
    handle: number,
    input: number,
    bytes: number,
    width: number,
    height: number,
    subsampling: number,
    colors: number,
  ): number;
  tjDecompress2(
    handle: number,
    input: number,
    bytes: number,
    output: number,
    width: number,
    pitch: number,
    height: number,
    format: number,
    flags: number,
  ): number;
}

interface WebpDecoder extends Memory {
  WebPDecodeRGBA(input: number, bytes: number, width: number, height: number): number;
}

/** Formats of pixels, `TJPF_RGBA` and `TJPF_CMYK`. */
const RGBA = 7;
const CMYK = 11;
/** Colors of a file with four inks, `TJCS_CMYK` and `TJCS_YCCK`. */
const FOUR_INKS: ReadonlySet<number | undefined> = new Set([3, 4]);

const MODULES = { '@cwasm/jpeg-turbo': 'jpeg-turbo.wasm', '@cwasm/webp': 'webp.wasm' } as const;
const compiled = new Map<string, object>();

/** Makes an instance for one picture: what a hostile one may overwrite ends with it. */
function instanceOf<Decoder>(name: keyof typeof MODULES): Decoder {
  const known = compiled.get(name) ?? new Module(readFileSync(path.join(packageFolder(name), MODULES[name])));
  compiled.set(name, known);
  // The decoders need none of their system calls to decode; an error in the file ends in one of these functions.
  const fail = () => {
    throw damaged();
  };
  const none = () => 0;
  const { exports } = new Instance(known, {
    env: { setjmp: none, longjmp: fail },
    wasi_snapshot_preview1: {
      environ_sizes_get: none,
      environ_get: fail,
      proc_exit: fail,
      fd_close: fail,
      fd_seek: fail,
      fd_write: fail,
    },
  });
  return exports as Decoder;
}

function damaged(): UnusableImageError {
  return new UnusableImageError('the picture is damaged');
}

/** Copies bytes into the memory of a decoder. */
function put({ memory, malloc }: Memory, bytes: Uint8Array): number {
  const at = allocate(malloc, bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  return at;
}

function allocate(malloc: Memory['malloc'], bytes: number): number {
  const at = malloc(bytes);
  if (at === 0) throw new UnusableImageError('the picture needs too much memory');
  return at;
}

/** Requires the size that the header of the file says, which was checked. */
function requireSize({ memory }: Memory, at: number, { width, height }: ImageHeader): void {
  const [foundWidth, foundHeight] = new Uint32Array(memory.buffer, at, 2);
  if (foundWidth !== width || foundHeight !== height) throw damaged();
}

/** Shows the pixels in the memory of a decoder, without a copy. */
function pixelsAt({ memory }: Memory, at: number, { width, height }: ImageHeader): Pixels {
  return { width, height, rgba: new Uint8Array(memory.buffer, at, width * height * 4) };
}

/** @throws UnusableImageError; any error of WebAssembly for a damaged file */
export function decodeJpeg(bytes: Uint8Array, header: ImageHeader): Pixels {
  const decoder = instanceOf<JpegDecoder>('@cwasm/jpeg-turbo');
  const { width, height } = header;
  const input = put(decoder, bytes);
  const handle = decoder.tjInitDecompress();
  const facts = allocate(decoder.malloc, 16);
  const found = decoder.tjDecompressHeader3(
    handle,
    input,
    bytes.length,
    facts,
    facts + 4,
    facts + 8,
    facts + 12,
  );
  if (handle === 0 || found !== 0) throw damaged();
  requireSize(decoder, facts, header);
  const output = allocate(decoder.malloc, width * height * 4);
  const [colors] = new Uint32Array(decoder.memory.buffer, facts + 12, 1);
  const hasInks = FOUR_INKS.has(colors);
  const format = hasInks ? CMYK : RGBA;
  if (decoder.tjDecompress2(handle, input, bytes.length, output, width, width * 4, height, format, 0) !== 0)
    throw damaged();
  const pixels = pixelsAt(decoder, output, header);
  if (hasInks) mixInks(pixels.rgba, header);
  return pixels;
}

/**
 * Turns cyan, magenta, yellow and black into red, green and blue, as they look without a color profile.
 *
 * @param isOfAdobe the values say how much light an ink lets through, and not how much ink there is
 */
function mixInks(pixels: Uint8Array, { isOfAdobe }: Pick<ImageHeader, 'isOfAdobe'>): void {
  const inverse = isOfAdobe ? 0 : 255;
  for (let at = 0; at < pixels.length; at += 4) {
    const light = (pixels[at + 3] ?? 0) ^ inverse;
    for (let channel = at; channel < at + 3; channel += 1)
      pixels[channel] = (((pixels[channel] ?? 0) ^ inverse) * light) / 255;
    pixels[at + 3] = 255;
  }
}

/** @throws UnusableImageError; any error of WebAssembly for a damaged file */
export function decodeWebp(bytes: Uint8Array, header: ImageHeader): Pixels {
  const decoder = instanceOf<WebpDecoder>('@cwasm/webp');
  const input = put(decoder, bytes);
  const facts = allocate(decoder.malloc, 8);
  const output = decoder.WebPDecodeRGBA(input, bytes.length, facts, facts + 4);
  if (output === 0) throw damaged();
  requireSize(decoder, facts, header);
  return pixelsAt(decoder, output, header);
}
