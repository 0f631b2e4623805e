import { EVERNOTE } from './evernote.ts';
import { KEEP } from './keep.ts';
import type { ExportFormat } from './model.ts';
import { SIMPLENOTE } from './simplenote.ts';
import { STANDARD_NOTES } from './standard-notes.ts';

/** Formats in which apps export notes, besides text files. */
export const EXPORT_FORMATS: readonly ExportFormat[] = [EVERNOTE, KEEP, SIMPLENOTE, STANDARD_NOTES];
