import { staticFile } from './static-file.ts';

/** The one stylesheet of all pages. */
export const STYLESHEET = staticFile(new URL('./quire.css', import.meta.url));
