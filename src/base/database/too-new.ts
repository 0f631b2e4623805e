/** A newer version of the program created the database. */
export class DatabaseTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `the database is at schema ${found}, newer than this program knows (${known}): start the newer version, or restore a backup made by this one`,
    );
    this.name = 'DatabaseTooNewError';
  }
}
