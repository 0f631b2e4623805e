/** Values for the blanks of a license text. */
export interface LicenseFacts {
  readonly year: number;
  /** name of the copyright holder */
  readonly owner: string;
  readonly repository: string;
  readonly email: string;
}

export interface License {
  /** SPDX identifier */
  readonly name: string;
  /** with its blanks; ends with a line break */
  readonly text: string;
}

export interface GitignoreTemplate {
  readonly name: string;
  readonly text: string;
}

export interface LabelTemplate {
  readonly name: string;
  /** six hex digits, without `#` */
  readonly color: string;
  readonly description: string;
  /** An issue has at most one of the labels whose names are the same up to the last slash. */
  readonly isExclusive: boolean;
}
