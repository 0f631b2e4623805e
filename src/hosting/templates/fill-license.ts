import type { LicenseFacts } from './model.ts';

/** The forms of blanks in the texts of SPDX, each with the function that fills it. */
const BLANKS: readonly (readonly [form: RegExp, filled: (facts: LicenseFacts) => string])[] = [
  // GNU licenses before version 3 do not mark their blanks, so this matches the whole phrase.
  [/Copyright \(C\) (?:yyyy|year) +name of author/, (facts) => notice(facts, '(C)')],
  [
    /<?one line to give the (?:program|library)'s name and an? (?:brief )?idea of what it does\.>?/,
    repository,
  ],
  // 0BSD
  [/YEAR by AUTHOR EMAIL/, (facts) => `${facts.year} by ${facts.owner} <${facts.email}>`],
  // The text of ISC contains the copyright notice of the consortium.
  [
    /Copyright \(c\) [\d-]+ by Internet Systems Consortium.*\nCopyright \(c\) [\d-]+ by Internet Software.*/,
    notice,
  ],
  // NTP
  [/\(CopyrightHoldersName\)/, owner],
  [/\(From 4-digit-year\)-\(To 4-digit-year\)/, year],
  // Fair
  [/<Copyright Information>/, notice],

  [/<(?:year|yyyy|jahr)>|\[(?:year|yyyy)\]|\{year\}/i, year],
  [/<(?:owner|author|organization|name of author|copyright inhaber)>/i, owner],
  [/<copyright holders?>|<owner organization name>/i, owner],
  [/\[(?:name|copyright holders|name of copyright (?:owner|holder))\]/i, owner],
  [/\[email\]/i, (facts) => `<${facts.email}>`],
  [/<program>|\[software name\]/i, repository],
];

/**
 * All forms in one expression, so that no inserted text is searched for blanks again. It ignores case, and the form that
 * fits then decides. A group with a flag of its own would not ignore case in a process with much compiled code of regular
 * expressions: `node --no-regexp-optimization` shows it.
 */
const ANY_BLANK = new RegExp(BLANKS.map(([form]) => `(?:${form.source})`).join('|'), 'gi');

/** Fills the blanks of a license text. Names of third parties, such as agents to contact, stay. */
export function fillLicense(text: string, facts: LicenseFacts): string {
  return text.replace(ANY_BLANK, (blank) => {
    const found = BLANKS.find(([form]) => form.exec(blank)?.[0] === blank);
    return found === undefined ? blank : found[1](facts);
  });
}

function notice(facts: LicenseFacts, sign = '(c)'): string {
  return `Copyright ${sign} ${facts.year} ${facts.owner}`;
}

function year(facts: LicenseFacts): string {
  return String(facts.year);
}

function owner(facts: LicenseFacts): string {
  return facts.owner;
}

function repository(facts: LicenseFacts): string {
  return facts.repository;
}
