import { connect } from 'node:net';

/** Sends bytes over a connection of their own, and resolves with all received bytes when the service closes it. */
export function sendBytes(url: string, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    for (const part of parts) socket.write(part);
  });
}

/**
 * Sends the first part, then one part for each chunk of the answer, and resolves with all received bytes when the
 * service closes the connection.
 */
export function converse(url: string, parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const rest = [...parts];
    const next = (): void => {
      const part = rest.shift();
      if (part !== undefined) socket.write(part);
    };
    socket.on('connect', next);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      next();
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
}

export interface ReadAnswer {
  readonly status: number;
  readonly hasId: boolean;
  /** Whether the answer has the headers that protect every answer. */
  readonly isProtected: boolean;
  readonly detail: unknown;
}

/** Parses the answers in the bytes of a connection. */
export function answersIn(text: string): ReadAnswer[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(Boolean)
    .map((answer) => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const headers = head.toLowerCase();
      return {
        status: Number(head.split(' ')[1]),
        hasId: /\r\nx-request-id: [\x21-\x7e]+(\r\n|$)/.test(headers),
        isProtected:
          headers.includes('\r\nx-content-type-options: nosniff') && headers.includes('\r\ncache-control: no-store'),
        detail: body.startsWith('{') ? (JSON.parse(body) as { detail?: unknown }).detail : undefined,
      };
    });
}
