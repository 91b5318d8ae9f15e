import { vscodeValue } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { plainPosition, plainRange, toPosition, toRange } from './places.ts';
import { RequestError } from './request-error.ts';

const deepest = 30;
const mostValues = 200_000;

/** An argument from its JSON form: `{"$type": "Uri", "value": …}` and the like become VS Code's own objects. */
export function fromJson(value: unknown, place = 'args', depth = 0): unknown {
  if (depth > deepest) throw new RequestError('invalid_params', `params.${place}: nested too deeply`);
  if (Array.isArray(value)) return value.map((item, index) => fromJson(item, `${place}.${index}`, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  if ('$type' in value) return revive(value, place);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, fromJson(item, `${place}.${name}`, depth + 1)]),
  );
}

/** A result as JSON. What cannot be told (functions, what contains itself) is left out. */
export function toJson(value: unknown): unknown {
  const walk = { left: mostValues, above: new Set<object>() };
  return tell(value, walk) ?? null;
}

function revive(value: object, place: string): unknown {
  const checked = vscodeValue.safeParse(value);
  if (!checked.success) {
    const issue = checked.error.issues[0]!;
    const field = [place, ...issue.path.map(String)].join('.');
    throw new RequestError('invalid_params', `params.${field}: ${issue.message}`);
  }
  const form = checked.data;
  switch (form.$type) {
    case 'Uri':
      return uriOf(form.value, `${place}.value`);
    case 'Position':
      return toPosition(form);
    case 'Range':
      return toRange(form);
    case 'Selection':
      return new vscode.Selection(toPosition(form.anchor), toPosition(form.active));
    case 'Location':
      return new vscode.Location(uriOf(form.uri, `${place}.uri`), toRange(form.range));
  }
}

function uriOf(text: string, place: string): vscode.Uri {
  try {
    return vscode.Uri.parse(text, true);
  } catch (error) {
    throw new RequestError('invalid_params', `params.${place}: ${(error as Error).message}`);
  }
}

interface Walk {
  left: number;
  above: Set<object>;
}

function tell(value: unknown, walk: Walk): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const form = formOf(value);
  if (form !== undefined) return form;
  walk.left -= 1;
  if (walk.left < 0 || walk.above.size > deepest || walk.above.has(value)) return undefined;
  walk.above.add(value);
  const told = Array.isArray(value)
    ? value.map((item) => tell(item, walk) ?? null)
    : Object.fromEntries(members(value).map(([name, item]) => [name, tell(item, walk)]));
  walk.above.delete(value);
  return told;
}

function formOf(value: object): unknown {
  if (value instanceof vscode.Uri) return { $type: 'Uri', value: value.toString() };
  if (value instanceof vscode.Position) return { $type: 'Position', ...plainPosition(value) };
  if (value instanceof vscode.Selection) {
    const { anchor, active } = value;
    return { $type: 'Selection', anchor: plainPosition(anchor), active: plainPosition(active) };
  }
  if (value instanceof vscode.Range) return { $type: 'Range', ...plainRange(value) };
  if (value instanceof vscode.Location)
    return { $type: 'Location', uri: value.uri.toString(), range: plainRange(value.range) };
  if (value instanceof Date) return value.toJSON();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return undefined;
}

/** Own values, and those that a class of VS Code gives by getters only, such as the children of a symbol. */
function members(value: object): [string, unknown][] {
  if (value instanceof Map) return [...value].map(([name, item]) => [String(name), item]);
  if (value instanceof Set) return [...value].map((item, index) => [String(index), item]);
  const names = new Set(Object.keys(value));
  for (let above = Object.getPrototypeOf(value); above !== null && above !== Object.prototype;) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(above)))
      if (property.get !== undefined && name !== '__proto__') names.add(name);
    above = Object.getPrototypeOf(above);
  }
  return [...names].filter((name) => !name.startsWith('_')).map((name) => [name, read(value, name)]);
}

function read(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    // A getter of something that is closed by now.
    return undefined;
  }
}
