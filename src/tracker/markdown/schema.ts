import { Type } from 'typebox';

const FIELDS = {
  /** URL, path or `owner/repo` to which relative links and references belong */
  Context: Type.Optional(Type.String()),
  Mode: Type.Optional(Type.String()),
  Text: Type.Optional(Type.String()),
  Wiki: Type.Optional(Type.Boolean()),
};

export const MarkdownBody = Type.Object(FIELDS, { $id: 'MarkdownOption' });

export const MarkupBody = Type.Object(
  { ...FIELDS, BranchPath: Type.Optional(Type.String()), FilePath: Type.Optional(Type.String()) },
  { $id: 'MarkupOption' },
);
