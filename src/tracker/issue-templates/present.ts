import { answerOf } from '../../api/operations/answers.ts';
import type { IssueConfig, IssueFiles, IssueTemplate } from './model.ts';
import {
  type IssueConfigRecord,
  IssueConfigSchema,
  type IssueConfigValidationRecord,
  IssueConfigValidationSchema,
  type IssueTemplateRecord,
  IssueTemplateSchema,
} from './schema.ts';

function presentTemplate(template: IssueTemplate): IssueTemplateRecord {
  const { name, title, about, labels, ref, content, fields, path } = template;
  const body = fields?.map((field) => ({ ...field, visible: [...field.visible] })) ?? null;
  return { name, title, about, labels: [...labels], ref, content, body, file_name: path };
}

function presentConfig({ allowsBlankIssues, contactLinks }: IssueConfig): IssueConfigRecord {
  return { blank_issues_enabled: allowsBlankIssues, contact_links: [...contactLinks] };
}

function presentValidation({ configProblem }: IssueFiles): IssueConfigValidationRecord {
  return { valid: configProblem === '', message: configProblem };
}

export const IssueTemplateAnswer = answerOf(IssueTemplateSchema, presentTemplate);
export const IssueConfigAnswer = answerOf(IssueConfigSchema, presentConfig);
export const IssueConfigValidationAnswer = answerOf(IssueConfigValidationSchema, presentValidation);
