import { answerOf } from '../../api/operations/answers.ts';
import type { Addresses } from '../../http/app.ts';
import type { GitignoreTemplate, LabelTemplate, License } from './model.ts';
import {
  type GitignoreTemplateRecord,
  GitignoreTemplateSchema,
  type LabelTemplateRecord,
  LabelTemplateSchema,
  type LicenseEntryRecord,
  LicenseEntrySchema,
  type LicenseTemplateRecord,
  LicenseTemplateSchema,
} from './schema.ts';

const IMPLEMENTATION =
  'Put this text into a file named LICENSE in the root folder of your work, and fill in its blanks.';

export function presentGitignore({ name, text }: GitignoreTemplate): GitignoreTemplateRecord {
  return { name, source: text };
}

/** Uses the SPDX identifier as `name`, too: requests name a license by it. */
export function presentLicenseEntry(name: string, { apiRoot }: Addresses): LicenseEntryRecord {
  return { key: name, name, url: `${apiRoot}/licenses/${encodeURIComponent(name)}` };
}

export function presentLicense({ name, text }: License, addresses: Addresses): LicenseTemplateRecord {
  return { ...presentLicenseEntry(name, addresses), implementation: IMPLEMENTATION, body: text };
}

export function presentLabelTemplate(label: LabelTemplate): LabelTemplateRecord {
  const { name, color, description, isExclusive } = label;
  return { name, color, description, exclusive: isExclusive };
}

export const GitignoreAnswer = answerOf(GitignoreTemplateSchema, presentGitignore);
export const LicenseEntryAnswer = answerOf(LicenseEntrySchema, (name: string, _viewer, addresses) =>
  presentLicenseEntry(name, addresses),
);
export const LicenseAnswer = answerOf(LicenseTemplateSchema, (license: License, _viewer, addresses) =>
  presentLicense(license, addresses),
);
export const LabelTemplateAnswer = answerOf(LabelTemplateSchema, presentLabelTemplate);
