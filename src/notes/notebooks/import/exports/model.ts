import type { ImportedFile, ImportProgress, SourceFile } from '../model.ts';
import type { Places } from '../places.ts';

/** A note as an app exports it. */
export interface ExportedNote {
  /** for the report */
  readonly name: string;
  /** '': the first line of its text */
  readonly title: string;
  readonly category: string;
  /** without the tags */
  readonly text: string;
  /** ms; null: not known */
  readonly modifiedAt: number | null;
  readonly createdAt: number | null;
  readonly tags: readonly string[];
  /** the page on the web from which it was taken */
  readonly source?: string;
  readonly isFavorite: boolean;
}

/** What a format may use while it reads a file. */
export interface ExportContext {
  readonly progress: ImportProgress;
  readonly places: Places;
  /** Returns the path in the notebook of another file of the source, by its name there. */
  pathOf(name: string): string | undefined;
}

/** Files of a source, by their names. */
export interface Repeated {
  readonly files?: readonly string[];
  /** the files in a folder, without the folders in it */
  readonly inFolders?: readonly string[];
  /** everything below a folder */
  readonly belowFolders?: readonly string[];
}

/** How an app writes many notes into one file, or each note into a file that is not text. */
export interface ExportFormat {
  readonly app: string;
  /** @param start the first characters of the file */
  recognizes(name: string, start: string): boolean;
  /** Returns the folder of the source that stands for the notebook, if the app chooses its name. */
  root(name: string): string | undefined;
  /** Names the other files of the source that only repeat what is in this one. */
  repeats(name: string): Repeated;
  /**
   * Reads a file: its notes, and the files beside them. Reports what it cannot take.
   *
   * @throws NotTakenError
   */
  files(file: SourceFile, context: ExportContext): AsyncIterable<ImportedFile>;
}
