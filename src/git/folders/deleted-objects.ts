/** Objects that a job deleted, and their size in packs. */
export interface DeletedObjects {
  readonly objects: number;
  readonly bytes: number;
}
