import type { Server } from 'node:http';

export function listen(server: Server): Promise<string>;
export function close(server: Server): Promise<void>;
