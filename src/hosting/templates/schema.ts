import { type Static, Type } from 'typebox';

export const GitignoreTemplateSchema = Type.Object(
  { name: Type.String(), source: Type.String() },
  { $id: 'GitignoreTemplateInfo' },
);
export type GitignoreTemplateRecord = Static<typeof GitignoreTemplateSchema>;

export const LicenseEntrySchema = Type.Object(
  { key: Type.String(), name: Type.String(), url: Type.String() },
  { $id: 'LicensesTemplateListEntry' },
);
export type LicenseEntryRecord = Static<typeof LicenseEntrySchema>;

export const LicenseTemplateSchema = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    url: Type.String(),
    /** instructions for people who use the license */
    implementation: Type.String(),
    body: Type.String(),
  },
  { $id: 'LicenseTemplateInfo' },
);
export type LicenseTemplateRecord = Static<typeof LicenseTemplateSchema>;

export const LabelTemplateSchema = Type.Object(
  {
    name: Type.String(),
    /** without `#` */
    color: Type.String(),
    description: Type.String(),
    exclusive: Type.Boolean(),
  },
  { $id: 'LabelTemplate' },
);
export type LabelTemplateRecord = Static<typeof LabelTemplateSchema>;

export const TemplateName = Type.String();
