import { Injectable } from '@nestjs/common';

/** Times of copying; tests make them less. */
@Injectable()
export class CopyLimits {
  /** Of the look at a start, which goes on without it. */
  lookMs = 5_000;
  /** After so long without a block it looks whether the last one is still there. */
  quietMs = 5_000;
  /** Of a block on its way: the server has to say by then that it is stored, or that it took too long. */
  insertMs = 60_000;
}
