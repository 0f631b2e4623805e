// The work of all commands. The command line loads it together with the features, so that `--help` needs neither.
export {
  changePassword,
  createUser,
  inviteByMail,
  listUsers,
  printResetLink,
  resetPassword,
  resetSecondFactor,
  verifyEmail,
} from './accounts.ts';
export { exportAudit, listAudit } from './audit.ts';
export { runDoctor } from './doctor.ts';
export { importNotes, importNotesFrom } from './import-notes.ts';
export { importSite } from './import-site.ts';
export { purgeRepository } from './purge.ts';
export { reindexNotes } from './reindex-notes.ts';
export { createToken } from './tokens.ts';
