import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { StorageTotalsRepository } from './accounting/storage-totals.repository.js';
import { BlobsRepository } from './blobs/blobs.repository.js';
import { ObjectRemovalService } from './objects/object-removal.service.js';
import { ObjectsRepository } from './objects/objects.repository.js';
import { StoredObject } from './objects/stored-object.entity.js';
import { ObjectsOfDeletedProjects } from './sweep/objects-of-deleted-projects.js';
import { ObjectUpload } from './uploads/object-upload.entity.js';
import { UploadAbortionService } from './uploads/upload-abortion.service.js';
import { UploadsRepository } from './uploads/uploads.repository.js';

/**
 * Removes the rows of objects and uploads, also when their project is deleted. The module needs no object store, since
 * a sweep removes the bytes later. So the commands of operators load this module without the other modules of storage.
 */
@Module({
  imports: [ProjectsModule, TypeOrmModule.forFeature([StoredObject, ObjectUpload])],
  providers: [
    BlobsRepository,
    ObjectRemovalService,
    ObjectsOfDeletedProjects,
    ObjectsRepository,
    StorageTotalsRepository,
    UploadAbortionService,
    UploadsRepository,
    belongsToProject(ObjectsOfDeletedProjects),
  ],
  exports: [
    BlobsRepository,
    ObjectRemovalService,
    ObjectsRepository,
    StorageTotalsRepository,
    UploadAbortionService,
    UploadsRepository,
  ],
})
export class ObjectRemovalModule {}
