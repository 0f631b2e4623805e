/** What is put into a license text where it leaves a blank. */
export interface LicenseFacts {
  readonly year: number;
  /** who holds the copyright */
  readonly owner: string;
  readonly repository: string;
  readonly email: string;
}

export interface License {
  /** its SPDX identifier */
  readonly name: string;
  /** with its blanks, ended by a line break */
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
  /** An issue has one label at most of those whose names begin alike, up to the last slash. */
  readonly isExclusive: boolean;
}
