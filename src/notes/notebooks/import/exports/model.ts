import type { ImportedFile, ImportProgress, SourceFile } from '../model.ts';
import type { Places } from '../places.ts';

/** A note as an app exports it. */
export interface ExportedNote {
  /** for the report */
  readonly name: string;
  /** '' if the title is the first line of the text */
  readonly title: string;
  readonly category: string;
  /** without the tags */
  readonly text: string;
  /** ms; null: not known */
  readonly modifiedAt: number | null;
  readonly createdAt: number | null;
  readonly tags: readonly string[];
  /** address of the web page from which the note was clipped */
  readonly source?: string;
  readonly isFavorite: boolean;
}

/** What a format can use while it reads a file. */
export interface ExportContext {
  readonly progress: ImportProgress;
  readonly places: Places;
  /** Returns the path in the notebook of another file of the source, by its name there. */
  pathOf(name: string): string | undefined;
}

/** Files of a source, by their names. */
export interface Repeated {
  readonly files?: readonly string[];
  /** the text files in a folder, without the folders in it */
  readonly textsInFolders?: readonly string[];
  /** everything below a folder */
  readonly belowFolders?: readonly string[];
}

/** A format in which an app exports many notes in one file, or each note in a file that is not text. */
export interface ExportFormat {
  readonly app: string;
  /** @param start the first characters of the file */
  recognizes(name: string, start: string): boolean;
  /** Returns the folder of the source that becomes the root of the notebook, if the app has chosen its name. */
  root(name: string): string | undefined;
  /** Names other files of the source that only repeat the content of this file. */
  repeats(name: string): Repeated;
  /**
   * Reads the notes of a file, and the files beside them. Reports notes and files that cannot be imported.
   *
   * @throws NotTakenError
   */
  files(file: SourceFile, context: ExportContext): AsyncIterable<ImportedFile>;
}
