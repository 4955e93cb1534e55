CREATE TABLE "project_demo"."city" ("id" uuid NOT NULL, "name" text COLLATE "C" NOT NULL, "size" bigint, "price" numeric, "founded" date, "opened" timestamptz, "photo" bytea, "tags" text[] COLLATE "C", "extra" jsonb, "land" text COLLATE "C", "_xmin" text COLLATE "C", "metadata" jsonb NOT NULL, "inserted_at" timestamptz NOT NULL, "updated_at" timestamptz NOT NULL, CONSTRAINT "_city_id_e74f88ea96_pkey" PRIMARY KEY ("id"))
CREATE UNIQUE INDEX "_city_name_85f123185d_key" ON "project_demo"."city" USING btree ("name")
CREATE INDEX "_city_size_id_0289aa13e5_idx" ON "project_demo"."city" USING btree ("size", "id")
CREATE INDEX "_city_tags_a60154bccc_idx" ON "project_demo"."city" USING gin ("tags")
CREATE INDEX "_city_land_id_cf6a57ee23_idx" ON "project_demo"."city" USING btree ("land", "id")
CREATE UNIQUE INDEX "_city_name_size_71d4404222_key" ON "project_demo"."city" USING btree ("name", "size")
CREATE TABLE "project_demo"."land" ("id" text COLLATE "C" NOT NULL, "title" text COLLATE "C", "metadata" jsonb NOT NULL, "inserted_at" timestamptz NOT NULL, "updated_at" timestamptz NOT NULL, CONSTRAINT "_land_id_537d192d61_pkey" PRIMARY KEY ("id"))
CREATE INDEX "_land_inserted_at_id_b81aeec11a_idx" ON "project_demo"."land" USING btree ("inserted_at", "id")
ALTER TABLE "project_demo"."city" ADD CONSTRAINT "_city_land_73e1b11b76_fkey" FOREIGN KEY ("land") REFERENCES "project_demo"."land" ("id") ON DELETE SET NULL
ALTER TABLE "project_demo"."city" DROP CONSTRAINT "_city_land_73e1b11b76_fkey"
DROP INDEX IF EXISTS "project_demo"."_city_name_85f123185d_key"
DROP INDEX IF EXISTS "project_demo"."_city_tags_a60154bccc_idx"
DROP INDEX IF EXISTS "project_demo"."_city_name_size_71d4404222_key"
ALTER TABLE "project_demo"."city" DROP COLUMN "price", DROP COLUMN "founded", DROP COLUMN "opened", DROP COLUMN "photo", DROP COLUMN "extra", ALTER COLUMN "name" DROP NOT NULL, DROP COLUMN "tags", ADD COLUMN "tags" bigint[], ADD COLUMN "late" text COLLATE "C" NOT NULL DEFAULT 'it''s \ ''late'''::text, ADD COLUMN "lists" jsonb[] DEFAULT ARRAY['{"a":"''"}'::jsonb, '1'::jsonb]::jsonb[]
ALTER TABLE "project_demo"."city" ADD CONSTRAINT "_city_land_73e1b11b76_fkey" FOREIGN KEY ("land") REFERENCES "project_demo"."land" ("id") ON DELETE CASCADE
ALTER TABLE "project_demo"."city" DROP CONSTRAINT "_city_land_73e1b11b76_fkey"
DROP TABLE "project_demo"."city"
DROP TABLE "project_demo"."land"
CREATE TABLE "project_demo"."city" ("id" uuid NOT NULL, "name" text COLLATE "C" NOT NULL, "size" bigint, "price" numeric, "founded" date, "opened" timestamptz, "photo" bytea, "tags" text[] COLLATE "C", "extra" jsonb, "land" text COLLATE "C", "_xmin" text COLLATE "C", "metadata" jsonb NOT NULL, "inserted_at" timestamptz NOT NULL, "updated_at" timestamptz NOT NULL, CONSTRAINT "_city_id_e74f88ea96_pkey" PRIMARY KEY ("id"), CONSTRAINT "_size_c6ba7efbc2_check" CHECK (("size" < '9'::bigint OR (NOT ("name" = 'it''s \'::text)) OR "price" IS NOT NULL)))
CREATE UNIQUE INDEX "_city_name_85f123185d_key" ON "project_demo"."city" USING btree ("name")
CREATE INDEX "_city_size_id_0289aa13e5_idx" ON "project_demo"."city" USING btree ("size", "id")
CREATE INDEX "_city_tags_a60154bccc_idx" ON "project_demo"."city" USING gin ("tags")
CREATE INDEX "_city_land_id_cf6a57ee23_idx" ON "project_demo"."city" USING btree ("land", "id")
CREATE TABLE "project_demo"."land" ("id" text COLLATE "C" NOT NULL, "title" text COLLATE "C", "metadata" jsonb NOT NULL, "inserted_at" timestamptz NOT NULL, "updated_at" timestamptz NOT NULL, CONSTRAINT "_land_id_537d192d61_pkey" PRIMARY KEY ("id"), CONSTRAINT "_a_32510c8dc0_check" CHECK ("id" <> 'x'::text))
CREATE INDEX "_land_inserted_at_id_b81aeec11a_idx" ON "project_demo"."land" USING btree ("inserted_at", "id")
ALTER TABLE "project_demo"."city" ADD CONSTRAINT "_city_land_73e1b11b76_fkey" FOREIGN KEY ("land") REFERENCES "project_demo"."land" ("id") ON DELETE SET NULL
ALTER TABLE "project_demo"."land" DROP CONSTRAINT "_a_32510c8dc0_check"
ALTER TABLE "project_demo"."city" ADD CONSTRAINT "_tags_4e4f94ac6e_check" CHECK (("_xmin" <> 'a'::text AND "tags" && '{"a","b,c"}'::text[] AND (NOT ("size" = ANY('{"1","2"}'::bigint[]))) AND "extra" #>> '{}'::text[] = '1')) NOT VALID
ALTER TABLE "project_demo"."land" ADD CONSTRAINT "_b_c166658927_check" CHECK ("id" <> 'x'::text) NOT VALID
ALTER TABLE "project_demo"."city" DROP CONSTRAINT "_city_land_73e1b11b76_fkey"
DROP TABLE "project_demo"."city"
DROP TABLE "project_demo"."land"
