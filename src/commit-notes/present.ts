import type { Static } from 'typebox';
import { answerOf } from '../access/answers.ts';
import type { Viewer } from '../access/viewer.ts';
import { presentDetails } from '../git-data/present.ts';
import type { Addresses } from '../http/app.ts';
import type { CommitNote } from './model.ts';
import { NoteSchema } from './schema.ts';

function presentNote(
  { message, commit }: CommitNote,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof NoteSchema> {
  return { message, commit: presentDetails(commit, viewer, addresses) };
}

export const NoteAnswer = answerOf(NoteSchema, presentNote);
