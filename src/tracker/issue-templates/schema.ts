import { type Static, Type } from 'typebox';
import { reference } from '../../http/shapes.ts';

const AnyValues = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

const IssueFormFieldSchema = Type.Object(
  {
    type: Type.String(),
    id: Type.String(),
    attributes: AnyValues,
    validations: AnyValues,
    visible: Type.Array(Type.String()),
  },
  { $id: 'IssueFormField' },
);

export const IssueTemplateSchema = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    about: Type.String(),
    labels: Type.Array(Type.String()),
    ref: Type.String(),
    content: Type.String(),
    body: Type.Union([Type.Array(reference(IssueFormFieldSchema)), Type.Null()]),
    file_name: Type.String(),
  },
  { $id: 'IssueTemplate' },
);
export type IssueTemplateRecord = Static<typeof IssueTemplateSchema>;

const ContactLinkSchema = Type.Object(
  { name: Type.String(), url: Type.String(), about: Type.String() },
  { $id: 'IssueConfigContactLink' },
);

export const IssueConfigSchema = Type.Object(
  { blank_issues_enabled: Type.Boolean(), contact_links: Type.Array(reference(ContactLinkSchema)) },
  { $id: 'IssueConfig' },
);
export type IssueConfigRecord = Static<typeof IssueConfigSchema>;

export const IssueConfigValidationSchema = Type.Object(
  { valid: Type.Boolean(), message: Type.String() },
  { $id: 'IssueConfigValidation' },
);
export type IssueConfigValidationRecord = Static<typeof IssueConfigValidationSchema>;
