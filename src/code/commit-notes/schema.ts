import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { CommitSchema } from '../git-data/schema.ts';

export const NoteSchema = Type.Object(
  { message: Type.String(), commit: reference(CommitSchema) },
  { $id: 'Note' },
);

export const NoteQuery = {
  files: Type.Optional(Type.Boolean()),
  verification: Type.Optional(Type.Boolean()),
};

export const NoteBody = Type.Object(
  { message: Type.String({ description: 'text of the note' }) },
  { $id: 'NoteOptions' },
);
