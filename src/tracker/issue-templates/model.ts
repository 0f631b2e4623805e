import type { Values } from '../../base/core/text/yaml.ts';

export const FIELD_TYPES = ['markdown', 'textarea', 'input', 'dropdown', 'checkboxes'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const VIEWS = ['form', 'content'] as const;
/** where a field appears: in the form, in the text of the issue, or in both */
export type View = (typeof VIEWS)[number];

export interface FormField {
  readonly type: FieldType;
  readonly id: string;
  readonly attributes: Values;
  readonly validations: Values;
  readonly visible: readonly View[];
}

export interface IssueTemplate {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly labels: readonly string[];
  /** full name of a ref; `refs/heads/` for none */
  readonly ref: string;
  /** text of a Markdown template; '' for a form */
  readonly content: string;
  /** null for a Markdown template */
  readonly fields: readonly FormField[] | null;
  /** path from the root of the repository */
  readonly path: string;
}

export interface ContactLink {
  readonly name: string;
  readonly url: string;
  readonly about: string;
}

export interface IssueConfig {
  readonly allowsBlankIssues: boolean;
  readonly contactLinks: readonly ContactLink[];
}

export const DEFAULT_CONFIG: IssueConfig = { allowsBlankIssues: true, contactLinks: [] };

/** What the files of one commit say. */
export interface IssueFiles {
  readonly templates: readonly IssueTemplate[];
  readonly config: IssueConfig;
  /** '' for a valid configuration, or none; otherwise the default one holds */
  readonly configProblem: string;
}
