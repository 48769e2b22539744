import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transform } from '@swc/core';
import { signDelivery, standardHeaders } from '../../../src/platform/outbound-http/index.js';
import { ownerWithProject } from '../../support/actors.js';
import { alertsOf } from '../../support/alerts.js';
import { createTestApp } from '../../support/app.js';
import { askProgram } from '../../support/programs/ask.js';
import { DELIVERY_ENV, deliveryOf } from '../../support/delivery.js';
import { startReceiver } from '../../support/receiver.js';

interface Case {
  readonly title: string;
  /** In base64. */
  readonly body: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly sender: 'destination' | 'channel';
  readonly isGenuine: boolean;
}

const SECRET = 'the secret of the receiver: Grüße';
const python = await askProgram<{ path: string }>('python');
const go = await askProgram<{ path: string }>('go');
const javac = await askProgram<{ path: string }>('javac');

/** The text of a file that receivers may copy. */
const sample = (name: string): Promise<string> =>
  readFile(new URL(`../../../docs/receivers/${name}`, import.meta.url), 'utf8');

/** A request as a receiver gets it from the running service. */
interface Sent {
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly secret: string;
}

/** Returns a request of an alert destination, and one of a channel. */
async function sent(): Promise<{ destination: Sent; channel: Sent }> {
  const app = await createTestApp({ env: DELIVERY_ENV });
  const receiver = await startReceiver();
  const owner = await ownerWithProject(app);
  const alerts = alertsOf(app, owner);
  await alerts.raiseFor(await alerts.destination(receiver.url, { secret: SECRET }));
  await receiver.requests(1);
  const delivery = deliveryOf(app, owner);
  const { body } = await delivery.create({ type: 'webhook', configuration: { url: receiver.url } });
  await delivery.send('post', `/channels/${body.id}/test`);
  const [destination, channel] = (await receiver.requests(2)).map((request) => ({
    body: request.body,
    headers: request.headers as Record<string, string>,
  }));
  await app.close();
  await receiver.close();
  return {
    destination: { ...destination!, secret: SECRET },
    channel: { ...channel!, secret: body.signing_secret as string },
  };
}

const SCHEMES = {
  destination: {
    time: 'x-service-timestamp',
    signature: 'x-service-signature',
    otherSecret: (secret: string) => `${secret}!`,
    sign: (secrets: string[], timestamp: number, body: Buffer) => signDelivery({ secrets, timestamp, id: 'x', body }),
  },
  channel: {
    time: 'webhook-timestamp',
    signature: 'webhook-signature',
    otherSecret: () => `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    sign: (secrets: string[], timestamp: number, body: Buffer) => {
      const keys = secrets.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));
      return standardHeaders({ secrets: keys, timestamp, id: 'x', body });
    },
  },
} as const;

function casesOf(sender: 'destination' | 'channel', { body, headers, secret }: Sent): Case[] {
  const { time, signature, otherSecret, sign } = SCHEMES[sender];
  const bytes = Buffer.from(body);
  const asSent = { title: `as sent by a ${sender}`, body: bytes.toString('base64'), headers, secret, sender };
  const genuine = { ...asSent, isGenuine: true };
  const forged = (title: string, change: Partial<Case>): Case => ({ ...genuine, isGenuine: false, title, ...change });
  const signed = (secrets: string[], age: number): Record<string, string> => {
    const made = Object.entries(sign(secrets, Math.floor(Date.now() / 1_000) - age, bytes));
    return Object.fromEntries(made.map(([name, value]) => [name.toLowerCase(), value]));
  };
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
  const given = headers[signature] ?? '';
  const other = otherSecret(secret);
  return [
    genuine,
    { ...genuine, title: 'the new one of two secrets', headers: signed([secret, other], 0) },
    { ...genuine, title: 'the old one of two secrets', headers: signed([other, secret], 0) },
    { ...genuine, title: 'four minutes old', headers: signed([secret], 240) },
    forged('six minutes old', { headers: signed([secret], 360) }),
    forged('six minutes ahead', { headers: signed([secret], -360) }),
    forged('another secret', { secret: other }),
    forged('another body', { body: Buffer.from(`${body} `).toString('base64') }),
    forged('another time', { headers: { ...headers, [time]: String(Number(headers[time]) - 1) } }),
    forged('no time', { headers: without(time) }),
    forged('a time that is none', { headers: { ...headers, [time]: 'yesterday' } }),
    forged('no signature', { headers: without(signature) }),
    forged('an empty signature', { headers: { ...headers, [signature]: '' } }),
    forged('a part of the signature', { headers: { ...headers, [signature]: given.slice(0, -1) } }),
    forged('a signature that is not ASCII', { headers: { ...headers, [signature]: 'v1=ü' } }),
    forged('another version', { headers: { ...headers, [signature]: given.replace('v1', 'v0') } }),
    ...(sender === 'channel' ? [forged('another id', { headers: { ...headers, 'webhook-id': 'x' } })] : []),
  ];
}

const NODE = `import { readFileSync } from 'node:fs';
import { isGenuine, isGenuineOfChannel } from './verify.mjs';
const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const verifiers = { destination: isGenuine, channel: isGenuineOfChannel };
console.log(JSON.stringify(cases.map(({ body, headers, secret, sender }) => verifiers[sender](Buffer.from(body, 'base64'), headers, secret))));
`;

const PYTHON = `import base64, json, sys
from email.message import Message
from verify import is_genuine, is_genuine_of_channel

def headers_of(given):
    headers = Message()
    for name, value in given.items():
        headers[name] = value
    return headers

cases = json.load(open(sys.argv[1], encoding="utf-8"))
verifiers = {"destination": is_genuine, "channel": is_genuine_of_channel}
print(json.dumps([verifiers[one["sender"]](base64.b64decode(one["body"]), headers_of(one["headers"]), one["secret"]) for one in cases]))
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
	Sender  string            \`json:"sender"\`
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
		verify := receiver.IsGenuine
		if c.Sender == "channel" {
			verify = receiver.IsGenuineOfChannel
		}
		verdicts = append(verdicts, verify(c.Body, header, c.Secret, 5*time.Minute))
	}
	out, _ := json.Marshal(verdicts)
	fmt.Println(string(out))
}
`;

/** Java has no JSON of its own, so each case is a line of texts in base64. */
const JAVA = `import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public final class Main {
  private static String text(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
  }

  public static void main(String[] args) throws Exception {
    List<Boolean> verdicts = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      String[] parts = line.split(" ");
      byte[] body = Base64.getDecoder().decode(parts[2]);
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (int at = 3; at < parts.length; at++) {
        String[] header = text(parts[at]).split(": ", 2);
        headers.put(header[0], header[1]);
      }
      Duration tolerance = Duration.ofMinutes(5);
      verdicts.add(text(parts[0]).equals("channel")
          ? Verify.isGenuineOfChannel(body, headers::get, text(parts[1]), tolerance)
          : Verify.isGenuine(body, headers::get, text(parts[1]), tolerance));
    }
    System.out.println(verdicts);
  }
}
`;

describe('the sample code for receivers', () => {
  let folder: string;
  let cases: Case[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oes-receivers-'));
    const { destination, channel } = await sent();
    cases = [...casesOf('destination', destination), ...casesOf('channel', channel)];
    await writeFile(join(folder, 'cases.json'), JSON.stringify(cases));
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const lines = cases.map(({ sender, secret, body, headers }) =>
      [
        base64(sender),
        base64(secret),
        body,
        ...Object.entries(headers).map(([name, value]) => base64(`${name}: ${value}`)),
      ].join(' '),
    );
    await writeFile(join(folder, 'cases.txt'), lines.join('\n'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function verdicts(
    files: Readonly<Record<string, string>>,
    command: readonly string[],
    input = 'cases.json',
  ): Promise<unknown> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const [program = '', ...given] = command;
    const run = spawnSync(program, [...given, join(folder, input)], { cwd: folder, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`${program}: ${run.stderr}`);
    const told = JSON.parse(run.stdout) as boolean[];
    return cases.map(({ title }, at) => [title, told[at]]);
  }

  const expected = (): unknown => cases.map(({ title, isGenuine }) => [title, isGenuine]);

  it('accepts only genuine requests in TypeScript', async () => {
    const { code } = await transform(await sample('verify.ts'), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    });
    const files = { 'verify.mjs': code, 'main.mjs': NODE };
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

  const inJava = 'absent' in javac ? it.skip : it;
  inJava('accepts only genuine requests in Java, where it is installed', async () => {
    if ('absent' in javac) throw new Error(javac.absent);
    const files = { 'Verify.java': await sample('Verify.java'), 'Main.java': JAVA };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const compiled = spawnSync(javac.path, Object.keys(files), { cwd: folder, encoding: 'utf8' });
    expect(compiled.stderr).toBe('');
    expect(await verdicts({}, [join(dirname(javac.path), 'java'), 'Main'], 'cases.txt')).toEqual(expected());
  });
});
