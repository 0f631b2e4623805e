/** Pixels of a picture, in rows from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** red, green, blue and alpha of each pixel, one byte each; alpha is not multiplied in */
  readonly rgba: Uint8Array;
}

export type ImageFormat = 'PNG' | 'JPEG' | 'GIF' | 'WebP';

/** What the header of a picture says. */
export interface ImageHeader {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  /** of a JPEG, 1 to 8, as EXIF defines it: how to turn the picture; 1: not at all */
  readonly orientation: number;
  /** of a JPEG: a program of Adobe wrote it, which inverts the four inks of pictures for print */
  readonly isOfAdobe: boolean;
}

export interface ImageWork {
  readonly bytes: Uint8Array;
}

/** A PNG, or why there is none. */
export type ImageAnswer = { readonly png: Uint8Array } | { readonly why: string };
