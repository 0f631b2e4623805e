import { GIT_LIMITS } from '../../git/limits.ts';
import { LFS_LIMITS } from '../../hosting/lfs/limits.ts';
import { APP_LIMITS } from '../limits.ts';
import { MIB, type Setting } from './setting.ts';

/** Settings of transfers, of what is stored, and of requests to other servers. */
export const TRANSFER_SETTINGS = {
  fetchSlots: {
    flag: 'fetch-slots',
    variable: 'QUIRE_FETCH_SLOTS',
    about: 'git processes that serve fetches at once; other fetches wait',
    fallback: '',
    otherwise: `${GIT_LIMITS.fetchSlotsPerCore} for each core`,
  },
  pushSlots: {
    flag: 'push-slots',
    variable: 'QUIRE_PUSH_SLOTS',
    about: 'git processes that index pushes at once; other pushes wait',
    fallback: '',
    otherwise: `${GIT_LIMITS.pushSlotsPerCore} for each core`,
  },
  pushObjectMib: {
    flag: 'push-object-mib',
    variable: 'QUIRE_PUSH_OBJECT_MIB',
    about: 'MiB that one object of a push may have, unpacked',
    fallback: `${GIT_LIMITS.pushObjectBytesMax / MIB}`,
  },
  pushUnpackedMib: {
    flag: 'push-unpacked-mib',
    variable: 'QUIRE_PUSH_UNPACKED_MIB',
    about: 'MiB that all objects of one push may have, unpacked',
    fallback: `${GIT_LIMITS.pushUnpackedBytesMax / MIB}`,
  },
  transferPatience: {
    flag: 'transfer-patience',
    variable: 'QUIRE_TRANSFER_PATIENCE',
    about: `seconds after which a fetch or push ends if its client moves less than ${GIT_LIMITS.transferBytesPerSecondMin / 1024} KiB per second`,
    fallback: `${GIT_LIMITS.transferPatienceMs / 1000}`,
  },
  archiveMib: {
    flag: 'archive-mib',
    variable: 'QUIRE_ARCHIVE_MIB',
    about: 'MiB of archives to store for later downloads; the least recently used ones are removed',
    fallback: `${APP_LIMITS.archivesStoredBytesMax / MIB}`,
  },
  serveDirect: {
    flag: 'serve-direct',
    variable: 'QUIRE_SERVE_DIRECT',
    about: 'true: downloads redirect to a signed address of the object store',
    fallback: 'false',
  },
  lfs: {
    flag: 'lfs',
    variable: 'QUIRE_LFS',
    about: 'false: git-lfs does not work with this server',
    fallback: 'true',
  },
  lfsBatchObjects: {
    flag: 'lfs-batch-objects',
    variable: 'QUIRE_LFS_BATCH_OBJECTS',
    about: 'objects of git-lfs that one batch may name',
    fallback: `${LFS_LIMITS.lfsBatchObjectsMax}`,
  },
  lfsObjectMib: {
    flag: 'lfs-object-mib',
    variable: 'QUIRE_LFS_OBJECT_MIB',
    about: 'MiB that one object of git-lfs may have',
    fallback: `${APP_LIMITS.lfsObjectBytesMax / MIB}`,
  },
  lfsOwnerMib: {
    flag: 'lfs-owner-mib',
    variable: 'QUIRE_LFS_OWNER_MIB',
    about:
      'MiB that the objects of git-lfs, the attachments and the assets of releases in all repositories of one owner may have together, unless a quota group says otherwise',
    fallback: '',
    otherwise: 'no limit',
  },
  quotaGroups: {
    flag: 'quota-groups',
    variable: 'QUIRE_QUOTA_GROUPS',
    about: 'comma-separated quota groups whose rules apply to owners who are in none',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  auditDays: {
    flag: 'audit-days',
    variable: 'QUIRE_AUDIT_DAYS',
    about: 'days for which entries of the audit log are kept',
    fallback: '365',
  },
  tokenDaysMax: {
    flag: 'token-days-max',
    variable: 'QUIRE_TOKEN_DAYS_MAX',
    about: 'days after which a new token expires at the latest, also an app password',
    fallback: '',
    otherwise: 'no limit',
  },
  requireLfsObjects: {
    flag: 'require-lfs-objects',
    variable: 'QUIRE_REQUIRE_LFS_OBJECTS',
    about: 'true: a push is rejected if its commits name objects of git-lfs that were not uploaded',
    fallback: 'false',
  },
  outboundAllow: {
    flag: 'outbound-allow',
    variable: 'QUIRE_OUTBOUND_ALLOW',
    about:
      'comma-separated hosts (also *.example.org) and networks to which the server may connect although they are not public',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  outboundBlock: {
    flag: 'outbound-block',
    variable: 'QUIRE_OUTBOUND_BLOCK',
    about: 'comma-separated hosts and networks to which the server never connects',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  outboundPorts: {
    flag: 'outbound-ports',
    variable: 'QUIRE_OUTBOUND_PORTS',
    about: 'comma-separated ports, and ranges of ports, to which the server connects',
    fallback: '80,443,1024-65535',
    isList: true,
  },
} as const satisfies Record<string, Setting>;
