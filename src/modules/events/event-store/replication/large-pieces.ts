import { Transform, type TransformCallback } from 'node:stream';

const PIECE_BYTES = 262_144;

/** Combines chunks into larger ones. Each chunk that is sent costs a system call and a line with its length. */
export class LargePieces extends Transform {
  private pieces: Buffer[] = [];
  private size = 0;

  constructor() {
    super({ readableHighWaterMark: PIECE_BYTES, writableHighWaterMark: PIECE_BYTES });
  }

  override _transform(piece: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.pieces.push(piece);
    this.size += piece.length;
    if (this.size >= PIECE_BYTES) this.give();
    done();
  }

  override _flush(done: TransformCallback): void {
    this.give();
    done();
  }

  private give(): void {
    if (this.size > 0) this.push(Buffer.concat(this.pieces, this.size));
    this.pieces = [];
    this.size = 0;
  }
}
