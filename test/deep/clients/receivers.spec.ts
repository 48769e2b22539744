import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signDelivery } from '../../../src/platform/outbound-http/index.js';
import { ownerWithProject } from '../../support/actors.js';
import { alertsOf } from '../../support/alerts.js';
import { createTestApp } from '../../support/app.js';
import { askProgram } from '../../support/programs/ask.js';
import { DELIVERY_ENV } from '../../support/delivery.js';
import { startReceiver } from '../../support/receiver.js';

interface Case {
  readonly title: string;
  /** In base64. */
  readonly body: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly isGenuine: boolean;
}

const SECRET = 'the secret of the receiver: Grüße';
const python = await askProgram<{ path: string }>('python');
const go = await askProgram<{ path: string }>('go');

/** The text of a file that receivers may copy. */
const sample = (name: string): Promise<string> =>
  readFile(new URL(`../../../docs/receivers/${name}`, import.meta.url), 'utf8');

/** A request as a receiver gets it from the running service. */
async function sent(): Promise<{ body: string; headers: Record<string, string> }> {
  const app = await createTestApp({ env: DELIVERY_ENV });
  const receiver = await startReceiver();
  const alerts = alertsOf(app, await ownerWithProject(app));
  await alerts.raiseFor(await alerts.destination(receiver.url, { secret: SECRET }));
  const [request] = await receiver.requests(1);
  await app.close();
  await receiver.close();
  return { body: request!.body, headers: request!.headers as Record<string, string> };
}

function casesOf({ body, headers }: { body: string; headers: Record<string, string> }): Case[] {
  const bytes = Buffer.from(body);
  const genuine = { title: 'as sent', body: bytes.toString('base64'), headers, secret: SECRET, isGenuine: true };
  const forged = (title: string, change: Partial<Case>): Case => ({ ...genuine, isGenuine: false, title, ...change });
  const signed = (secrets: string[], age: number): Record<string, string> => {
    const timestamp = Math.floor(Date.now() / 1_000) - age;
    const made = Object.entries(signDelivery({ secrets, timestamp, id: 'x', body: bytes }));
    return Object.fromEntries(made.map(([name, value]) => [name.toLowerCase(), value]));
  };
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
  const signature = headers['x-service-signature'] ?? '';
  return [
    genuine,
    { ...genuine, title: 'the new one of two secrets', headers: signed([SECRET, 'old'], 0) },
    { ...genuine, title: 'the old one of two secrets', headers: signed(['new', SECRET], 0) },
    { ...genuine, title: 'four minutes old', headers: signed([SECRET], 240) },
    forged('six minutes old', { headers: signed([SECRET], 360) }),
    forged('six minutes ahead', { headers: signed([SECRET], -360) }),
    forged('another secret', { secret: `${SECRET}!` }),
    forged('another body', { body: Buffer.from(`${body} `).toString('base64') }),
    forged('another time', {
      headers: { ...headers, 'x-service-timestamp': String(Number(headers['x-service-timestamp']) - 1) },
    }),
    forged('no time', { headers: without('x-service-timestamp') }),
    forged('a time that is none', { headers: { ...headers, 'x-service-timestamp': 'yesterday' } }),
    forged('no signature', { headers: without('x-service-signature') }),
    forged('an empty signature', { headers: { ...headers, 'x-service-signature': '' } }),
    forged('a part of the signature', { headers: { ...headers, 'x-service-signature': signature.slice(0, -1) } }),
    forged('a signature that is not ASCII', { headers: { ...headers, 'x-service-signature': 'v1=ü' } }),
    forged('another version', { headers: { ...headers, 'x-service-signature': signature.replace('v1', 'v0') } }),
  ];
}

const NODE = `import { readFileSync } from 'node:fs';
import { isGenuine } from './verify.mjs';
const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(JSON.stringify(cases.map(({ body, headers, secret }) => isGenuine(Buffer.from(body, 'base64'), headers, secret))));
`;

const PYTHON = `import base64, json, sys
from email.message import Message
from verify import is_genuine

def headers_of(given):
    headers = Message()
    for name, value in given.items():
        headers[name] = value
    return headers

cases = json.load(open(sys.argv[1], encoding="utf-8"))
print(json.dumps([is_genuine(base64.b64decode(one["body"]), headers_of(one["headers"]), one["secret"]) for one in cases]))
`;

const GO = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"example.com/verify/receiver"
)

type one struct {
	Body    []byte            \`json:"body"\`
	Headers map[string]string \`json:"headers"\`
	Secret  string            \`json:"secret"\`
}

func main() {
	text, _ := os.ReadFile(os.Args[1])
	var cases []one
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, c := range cases {
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		verdicts = append(verdicts, receiver.IsGenuine(c.Body, header, c.Secret, 5*time.Minute))
	}
	out, _ := json.Marshal(verdicts)
	fmt.Println(string(out))
}
`;

describe('the sample code for receivers', () => {
  let folder: string;
  let cases: Case[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oes-receivers-'));
    cases = casesOf(await sent());
    await writeFile(join(folder, 'cases.json'), JSON.stringify(cases));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function verdicts(files: Readonly<Record<string, string>>, command: readonly string[]): Promise<unknown> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const [program = '', ...given] = command;
    const run = spawnSync(program, [...given, join(folder, 'cases.json')], { cwd: folder, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`${program}: ${run.stderr}`);
    const told = JSON.parse(run.stdout) as boolean[];
    return cases.map(({ title }, at) => [title, told[at]]);
  }

  const expected = (): unknown => cases.map(({ title, isGenuine }) => [title, isGenuine]);

  it('accepts only genuine requests in Node', async () => {
    const files = { 'verify.mjs': await sample('verify.mjs'), 'main.mjs': NODE };
    expect(await verdicts(files, [process.execPath, 'main.mjs'])).toEqual(expected());
  });

  const inPython = 'absent' in python ? it.skip : it;
  inPython('accepts only genuine requests in Python, where it is installed', async () => {
    if ('absent' in python) throw new Error(python.absent);
    const files = { 'verify.py': await sample('verify.py'), 'main.py': PYTHON };
    expect(await verdicts(files, [python.path, 'main.py'])).toEqual(expected());
  });

  const inGo = 'absent' in go ? it.skip : it;
  inGo('accepts only genuine requests in Go, where it is installed', async () => {
    if ('absent' in go) throw new Error(go.absent);
    const files = {
      'go.mod': 'module example.com/verify\n\ngo 1.19\n',
      'receiver/verify.go': await sample('verify.go'),
      'main.go': GO,
    };
    expect(await verdicts(files, [go.path, 'run', '.'])).toEqual(expected());
  });
});
