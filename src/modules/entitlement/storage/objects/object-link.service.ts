import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { contentPath } from '../signed/signed-paths.js';
import { UrlSigner, wholeSeconds } from '../signed/url-signer.js';
import { ObjectNotFound } from '../storage.errors.js';
import { type LinkedObjectResponse, type ObjectLinkQuery, objectResponse } from './objects.dto.js';
import { ObjectsRepository } from './objects.repository.js';

/** Returns an object with a signed URL, from which anyone can download its content for a limited time. */
@Injectable()
export class ObjectLinkService {
  constructor(
    private readonly objects: ObjectsRepository,
    private readonly signer: UrlSigner,
    private readonly clock: Clock,
  ) {}

  async get(scope: ProjectScope, id: string, query: ObjectLinkQuery, request: Request): Promise<LinkedObjectResponse> {
    const object = await this.objects.find(scope, id);
    if (object === null) throw new ObjectNotFound();
    if (!this.signer.isAvailable) {
      return { ...objectResponse(object), download_url: null, download_url_expires_at: null };
    }
    const expiresAt = wholeSeconds(this.clock.now(), query.expires_in);
    const url = this.signer.sign(request, {
      method: 'GET',
      path: contentPath(id),
      expiresAt,
      disposition: query.disposition,
    });
    return { ...objectResponse(object), download_url: url, download_url_expires_at: expiresAt.toISOString() };
  }
}
