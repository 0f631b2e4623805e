import { Type } from 'typebox';

const color = Type.String({ description: 'six or three hex digits, with or without `#`' });
const exclusive = Type.Boolean({
  description: 'an issue has at most one of the exclusive labels that have the same name up to the last `/`',
});
const isArchived = Type.Boolean({ description: 'whether the label is no longer offered for issues' });

export const LabelSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    exclusive,
    is_archived: isArchived,
    color: Type.String({ description: 'six hex digits' }),
    description: Type.String(),
    url: Type.String(),
  },
  { $id: 'Label' },
);

const optional = {
  description: Type.Optional(Type.String()),
  exclusive: Type.Optional(exclusive),
  is_archived: Type.Optional(isArchived),
};

export const CreateLabelBody = Type.Object(
  { name: Type.String(), color, ...optional },
  { $id: 'CreateLabelOption' },
);

export const EditLabelBody = Type.Object(
  { name: Type.Optional(Type.String()), color: Type.Optional(color), ...optional },
  { $id: 'EditLabelOption' },
);

export const LabelQuery = {
  sort: Type.Optional(Type.String()),
};
