import { Module } from '@nestjs/common';
import { AuditModule } from '../../identity/audit/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { BillingModule } from '../billing/index.js';
import { QuotasModule } from '../quotas/index.js';
import { BandwidthRepository } from './accounting/bandwidth.repository.js';
import { StorageAllowanceReader } from './accounting/storage-allowance.reader.js';
import { StorageRefusalsService } from './accounting/storage-refusals.service.js';
import { StorageUsageController } from './accounting/storage-usage.controller.js';
import { StorageUsageService } from './accounting/storage-usage.service.js';
import { BlobSweepMaintenance } from './sweep/blob-sweep.maintenance.js';
import { StrangerCountProcessor } from './sweep/stranger-count.processor.js';
import { ContentAdmissionService } from './objects/content-admission.service.js';
import { ObjectRemovalModule } from './object-removal.module.js';
import { ObjectIntakeService } from './objects/object-intake.service.js';
import { ObjectLinkService } from './objects/object-link.service.js';
import { ObjectListService } from './objects/object-list.service.js';
import { ObjectPlacementService } from './objects/object-placement.service.js';
import { ObjectUploadService } from './objects/object-upload.service.js';
import { ObjectsController } from './objects/objects.controller.js';
import { ProjectOfObject } from './objects/objects.repository.js';
import { ObjectsService } from './objects/objects.service.js';
import { OverageReportsMaintenance } from './overage/overage-reports.maintenance.js';
import { OveragesRepository } from './overage/overages.repository.js';
import { ObjectContentController } from './content/content.controller.js';
import { ContentService } from './content/content.service.js';
import { SignedRoutesCors } from './signed/signed-routes-cors.middleware.js';
import { UrlSigner } from './signed/url-signer.js';
import { SweepMetrics } from './sweep/sweep-metrics.js';
import { UploadAdmissionService } from './uploads/upload-admission.service.js';
import { UploadCompletionService } from './uploads/upload-completion.service.js';
import { UploadPartsRepository } from './uploads/upload-parts.repository.js';
import { UploadPartsService } from './uploads/upload-parts.service.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { ProjectOfUpload } from './uploads/uploads.repository.js';
import { UploadsService } from './uploads/uploads.service.js';
import { ObjectSearch } from './objects/object-search.reader.js';

const ACCOUNTING = [
  BandwidthRepository,
  StorageAllowanceReader,
  SweepMetrics,
  StorageRefusalsService,
  StorageUsageService,
];

const OBJECTS = [
  ObjectSearch,
  ContentAdmissionService,
  ObjectIntakeService,
  ObjectLinkService,
  ObjectListService,
  ObjectPlacementService,
  ObjectUploadService,
  ObjectsService,
  ProjectOfObject,
];

const UPLOADS = [
  ProjectOfUpload,
  UploadAdmissionService,
  UploadCompletionService,
  UploadPartsRepository,
  UploadPartsService,
  UploadsService,
];

/** Manages files of projects: their rows, quotas and signed URLs. The platform's ObjectStore stores the bytes. */
@Module({
  imports: [AuditModule, BillingModule, ObjectRemovalModule, ProjectsModule, QuotasModule],
  controllers: [ObjectsController, ObjectContentController, UploadsController, StorageUsageController],
  providers: [
    ...ACCOUNTING,
    ...OBJECTS,
    ...UPLOADS,
    BlobSweepMaintenance,
    ContentService,
    OverageReportsMaintenance,
    OveragesRepository,
    SignedRoutesCors,
    StrangerCountProcessor,
    UrlSigner,
  ],
  exports: [SignedRoutesCors],
})
export class ObjectStorageModule {}
