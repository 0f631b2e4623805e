export const MIB = 1024 * 1024;

export interface Setting {
  /** on the command line, without the dashes; undefined for a secret, which a list of processes would show */
  readonly flag?: string;
  readonly variable: string;
  readonly about: string;
  readonly fallback: string;
  /** describes the default value where `fallback` is empty */
  readonly otherwise?: string;
  /** comma-separated; an array in the file */
  readonly isList?: true;
}
