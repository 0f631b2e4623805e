import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import type { Addresses } from '../../http/app.ts';
import { presentDetails } from '../git-data/present.ts';
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
