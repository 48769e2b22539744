// A name server on the loopback that answers TXT queries, over UDP and TCP, as tests say.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { close, listen } from '../http-server.mjs';

const HOST = '127.0.0.1';
const TYPE_TXT = 16;
/** The largest answer over UDP that resolvers accept today. A larger one is cut off, and asked for again over TCP. */
const MAX_UDP_BYTES = 1_232;
const MAX_PIECE_BYTES = 255;
const CODES = { 'server failure': 2, 'no such name': 3 };
/** The server has no free TCP port with the number of its UDP port in one of some thousand attempts. */
const MAX_ATTEMPTS = 20;

/**
 * Starts a name server.
 *
 * @returns its address, the replies by name, and `close`
 */
export async function startNameServer() {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function start() {
  const replies = new Map();
  const udp = createSocket('udp4');
  udp.bind(0, HOST);
  await once(udp, 'listening');
  udp.on('message', (message, { address, port }) => {
    const answer = answerTo(message, replies);
    if (answer === null) return;
    udp.send(answer.length > MAX_UDP_BYTES ? cutOff(message) : answer, port, address);
  });
  const { port } = udp.address();
  const sockets = new Set();
  const tcp = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const message = received.subarray(2, 2 + received.readUInt16BE(0));
        received = received.subarray(2 + message.length);
        const answer = answerTo(message, replies);
        if (answer === null) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      }
    });
  });
  try {
    tcp.listen(port, HOST);
    await once(tcp, 'listening');
  } catch (error) {
    udp.close();
    throw error;
  }
  return {
    address: `${HOST}:${port}`,
    replies,
    close: async () => {
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

/**
 * Starts a name server for a service in a process of its own. Specs set replies by PUT of `{ name, reply }` to the
 * address `control`.
 *
 * @param {(() => Promise<void>)[]} stops collects the functions that stop the servers at the end of the run
 */
export async function startControlledNameServer(stops) {
  const server = await startNameServer();
  const control = createHttpServer((request, response) => {
    json(request)
      .then(({ name, reply }) => {
        server.replies.set(name, reply);
        response.writeHead(204).end();
      })
      .catch(() => response.destroy());
  });
  const origin = await listen(control);
  control.unref();
  stops.push(() => close(control));
  stops.push(() => server.close());
  return { address: server.address, control: origin };
}

function answerTo(message, replies) {
  const { name, type, end } = questionOf(message);
  const reply = type === TYPE_TXT ? (replies.get(name) ?? 'no such name') : 'no such name';
  if (reply === 'silence') return null;
  const records = typeof reply === 'string' ? [] : reply.map(recordOf);
  const head = Buffer.from(message.subarray(0, end));
  head.writeUInt16BE(0x8180 | (typeof reply === 'string' ? CODES[reply] : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

/** Returns an answer without records that says that the whole answer is too large for UDP. */
function cutOff(message) {
  const head = Buffer.from(message.subarray(0, questionOf(message).end));
  head.writeUInt16BE(0x8380, 2);
  head.writeUInt32BE(0, 8);
  return head;
}

function questionOf(message) {
  const labels = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Returns a TXT record for the name of the query, with a TTL of 0. Its text is in pieces of up to 255 bytes. */
function recordOf(text) {
  const bytes = Buffer.from(text);
  const pieces = [];
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_PIECE_BYTES) {
    const piece = bytes.subarray(at, at + MAX_PIECE_BYTES);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  const data = Buffer.concat(pieces);
  const head = Buffer.from([0xc0, 12, 0, TYPE_TXT, 0, 1, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
