export const SSH_LIMITS = {
  /** From the connection to a finished sign-in. */
  sshSignInMs: 30_000,
  /** Connections that have not signed in, of all networks and of one. */
  strangersMax: 256,
  strangersPerNetworkMax: 64,
  /** Connections that one network may open in a period: each costs an exchange of keys. */
  handshakesPerNetworkMax: 600,
  handshakesMs: 60_000,
  handshakeNetworksRememberedMax: 10_000,
  /** What a client sends before it has signed in: its version, key exchange and attempts. */
  strangerBytesMax: 256 * 1024,
  /** Keys that one connection may offer or use. An agent offers all that it has. */
  attemptsPerConnectionMax: 40,
  /** Connections that have signed in: all, and those that count for one caller, an account or the deploy keys it has added. */
  connectionsMax: 1_024,
  connectionsPerCallerMax: 128,
  /** Sessions that one connection has open at once. */
  sessionsPerConnectionMax: 10,
  /** Sessions that one connection opens, one after the other. */
  sessionsInAllMax: 10_000,
  /** How long an ended connection waits for its client, before it is cut. */
  endMs: 5_000,
  /** How long a connection may be open without a command. */
  sshIdleMs: 10 * 60_000,
  /** How long a client may be quiet between the requests of one command, such as while its hooks run. */
  quietMs: 30 * 60_000,
  /** The server asks a silent client for a sign of life, and ends the connection after so many questions. */
  keepaliveMs: 30_000,
  keepalivesMax: 4,
  /** New keys for a connection after so many bytes, and after this time. */
  rekeyBytes: 1024 * 1024 * 1024,
  rekeyMs: 60 * 60_000,
  /** How long a client may take for what waits for it, before its connection is dropped: 2 KiB a second, at least. */
  sendMs: 120_000,
  /** Bytes that wait for a client to take them, before a command waits. */
  waitingBytesMax: 240 * 1024,
  /** Bytes that wait for a client that sends more and more requests without taking the answers. */
  answersBytesMax: 8 * 1024 * 1024,
  /** Bytes that a command has not read yet. A client that keeps to its window sends less. */
  unreadBytesMax: 8 * 1024 * 1024,
  /** Size of one piece of output. */
  pieceBytes: 64 * 1024,
  commandCharsMax: 8 * 1024,
  /** How long a pack that looks complete waits for further bytes. */
  packEndMs: 100,
  /** Arguments of an archive. */
  archiveArgumentsMax: 256,
  archiveArgumentBytesMax: 4 * 1024,
  /** Arguments of one request of `git-lfs-transfer`, and objects that its batch names. A setting can allow fewer. */
  transferArgumentsMax: 32,
  transferLinesMax: 10_000,
  /** One of these arguments and lines, which can have a path, and all of one request. */
  transferLineBytesMax: 8 * 1024,
  transferRequestBytesMax: 1024 * 1024,
  /** What a client may still send of a rejected request. With more, the command ends. */
  transferSkippedBytesMax: 16 * 1024 * 1024,
  /** Principals of a certificate, and all of its bytes. */
  principalsMax: 64,
  certificateBytesMax: 64 * 1024,
  /** What a process of the system's OpenSSH asks. */
  bridgeRequestBytesMax: 256 * 1024,
  /** A file with the keys of authorities. */
  authoritiesBytesMax: 256 * 1024,
} as const;
