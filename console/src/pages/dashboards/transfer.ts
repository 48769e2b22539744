import { Explained } from '../../parts/failures.js';
import {
  type Content,
  contentOf,
  filtersOfContent,
  isVariableField,
  MAX_PANELS,
  MAX_VARIABLES,
  questionOf,
} from './content.js';
import { isObject } from '../../parts/json.js';
import { boxOf } from './layout.js';

const FORMAT = 'operational-events-dashboard';
const VERSION = 1;
/** The service accepts no larger content. */
const MAX_BYTES = 65_536;
/** A file has spaces, too. */
const MAX_FILE_BYTES = 262_144;
/** The service accepts no longer names, and a form no longer titles. */
const MAX_NAME_CHARACTERS = 200;
/** With more faults in a file, the first ones say enough. */
const MAX_SENTENCES = 8;

export function exported(name: string, content: Content): Blob {
  const head = { format: FORMAT, version: VERSION, name };
  // Stored members with the same names must not replace the head, which comes first.
  const text = JSON.stringify({ ...head, ...filtersOfContent(content), ...head }, null, 2);
  return new Blob([`${text}\n`], { type: 'application/json' });
}

interface Imported {
  readonly name: string;
  readonly content: Content;
}

/** Reads an exported dashboard. @throws Explained with a sentence for each fault */
export async function imported(chosen: File): Promise<Imported> {
  if (chosen.size > MAX_FILE_BYTES) throw new Explained('This file has more than 256 KiB, so it is no dashboard.');
  const file = parsed(await chosen.text());
  const { format, version, name, ...filters } = file;
  if (format !== FORMAT || !Array.isArray(filters.panels))
    throw new Explained('This file is not an exported dashboard.');
  if (version !== VERSION) throw new Explained('Another version of the console exported this file.');
  const faults = [
    ...faultsOfName(name, 'The dashboard', 'name'),
    ...faultsOfPanels(filters.panels as unknown[]),
    ...faultsOfVariables(filters.variables),
    ...(new TextEncoder().encode(JSON.stringify(filters)).length > MAX_BYTES
      ? ['The dashboard takes more than 64 KiB.']
      : []),
  ];
  const more = faults.length - MAX_SENTENCES;
  if (faults.length > 0)
    throw new Explained([...faults.slice(0, MAX_SENTENCES), ...(more > 0 ? [`${more} more faults.`] : [])].join(' '));
  return { name: String(name).trim(), content: contentOf(filters) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Explained('This file is not JSON.');
  }
  if (!isObject(file)) throw new Explained('This file is not an exported dashboard.');
  return file;
}

function faultsOfName(text: unknown, place: string, what: 'name' | 'title'): string[] {
  if (typeof text !== 'string' || text.trim() === '') return [`${place} has no ${what}.`];
  return [...text.trim()].length <= MAX_NAME_CHARACTERS
    ? []
    : [`${place} has a ${what} of more than ${MAX_NAME_CHARACTERS} characters.`];
}

function faultsOfPanels(panels: readonly unknown[]): string[] {
  if (panels.length > MAX_PANELS)
    return [`The dashboard has ${panels.length} panels. At most ${MAX_PANELS} are possible.`];
  const ids = new Set<unknown>();
  return panels.flatMap((panel, index) => {
    const place = `Panel ${index + 1}`;
    if (!isObject(panel)) return [`${place} is not a panel.`];
    const { id, title, question, layout } = panel;
    const isKnown = ids.has(id);
    ids.add(id);
    return [
      ...(typeof id === 'string' && id !== '' ? [] : [`${place} has no id.`]),
      ...(isKnown ? [`${place} has the id of another panel.`] : []),
      ...faultsOfName(title, place, 'title'),
      ...(isObject(question) && questionOf(question) !== undefined
        ? []
        : [`${place} has a question that this version of the console does not know.`]),
      ...(boxOf(layout) === undefined ? [`${place} has no valid place and size.`] : []),
    ];
  });
}

function faultsOfVariables(variables: unknown): string[] {
  if (variables === undefined || variables === null) return [];
  if (!Array.isArray(variables)) return ['The variables are not a list.'];
  if (variables.length > MAX_VARIABLES)
    return [`The dashboard has ${variables.length} variables. At most ${MAX_VARIABLES} are possible.`];
  const names = new Set<unknown>();
  return (variables as unknown[]).flatMap((variable, index) => {
    const place = `Variable ${index + 1}`;
    const { name, field } = isObject(variable) ? variable : {};
    if (typeof name !== 'string' || name === '' || !isVariableField(field))
      return [`${place} has no name, or no field that can be chosen.`];
    if (names.has(name)) return [`${place} has the name of another variable.`];
    names.add(name);
    return [];
  });
}
