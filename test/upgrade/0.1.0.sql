SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA kind;
CREATE SCHEMA project_boot;
CREATE SCHEMA project_released;
CREATE COLLATION project_boot._fold (provider = icu, locale = 'und');
CREATE COLLATION project_released._fold (provider = icu, locale = 'und');
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA kind;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE kind.migrations (
    id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL
);
CREATE SEQUENCE kind.migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE kind.migrations_id_seq OWNED BY kind.migrations.id;
CREATE TABLE kind.project (
    id text NOT NULL,
    label text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    unindexed boolean DEFAULT false NOT NULL,
    built_in integer,
    inserted_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE kind.release (
    release text NOT NULL,
    built_in integer NOT NULL,
    one boolean DEFAULT true NOT NULL,
    CONSTRAINT release_one_check CHECK (one)
);
CREATE TABLE kind.service (
    id uuid NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
CREATE TABLE kind.signing (
    salt text NOT NULL,
    fingerprint text,
    one boolean DEFAULT true NOT NULL,
    CONSTRAINT signing_one_check CHECK (one)
);
CREATE TABLE project_boot._code (
    id uuid NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    tries bigint NOT NULL,
    used_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot._count (
    "table" text NOT NULL COLLATE pg_catalog."C",
    change bigint NOT NULL
);
ALTER TABLE ONLY project_boot._count REPLICA IDENTITY FULL;
CREATE TABLE project_boot._idempotency (
    id text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL,
    status bigint,
    content text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C"
);
CREATE TABLE project_boot._link (
    parent_kind text NOT NULL COLLATE pg_catalog."C",
    parent_id text NOT NULL COLLATE pg_catalog."C",
    child_kind text NOT NULL COLLATE pg_catalog."C",
    child_id text NOT NULL COLLATE pg_catalog."C",
    link_id text NOT NULL COLLATE pg_catalog."C",
    inserted_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot._model (
    version bigint NOT NULL,
    built_in integer NOT NULL,
    access_default text NOT NULL,
    one boolean DEFAULT true NOT NULL,
    CONSTRAINT _model_access_default_check CHECK ((access_default = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT _model_one_check CHECK (one)
);
CREATE TABLE project_boot._parameter (
    id text NOT NULL COLLATE pg_catalog."C",
    kind_id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    format text NOT NULL COLLATE pg_catalog."C",
    persistence text NOT NULL COLLATE pg_catalog."C",
    helper_text text COLLATE pg_catalog."C",
    default_value jsonb,
    min_length bigint,
    max_length bigint,
    strip boolean,
    "values" jsonb,
    pattern text COLLATE pg_catalog."C",
    search text COLLATE pg_catalog."C",
    multiple boolean NOT NULL,
    nullable boolean NOT NULL,
    only_run_time boolean NOT NULL,
    is_primary boolean NOT NULL,
    required boolean NOT NULL,
    "unique" boolean NOT NULL,
    indexed boolean NOT NULL,
    hidden boolean NOT NULL,
    write_once boolean NOT NULL,
    read_access text COLLATE pg_catalog."C",
    write_access text COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    min_value jsonb,
    max_value jsonb,
    scale bigint,
    reference_kind text COLLATE pg_catalog."C",
    on_delete text COLLATE pg_catalog."C",
    defined_in text[] COLLATE pg_catalog."C"
);
CREATE TABLE project_boot._query (
    id text NOT NULL COLLATE pg_catalog."C",
    calls bigint NOT NULL,
    milliseconds double precision NOT NULL,
    missing jsonb,
    since timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot._recovery (
    id text NOT NULL COLLATE pg_catalog."C",
    member_id uuid NOT NULL,
    made_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot._refresh_token (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    successor uuid
);
CREATE TABLE project_boot._session (
    id uuid NOT NULL,
    member_kind text NOT NULL COLLATE pg_catalog."C",
    member_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    address text COLLATE pg_catalog."C",
    user_agent text COLLATE pg_catalog."C"
);
CREATE TABLE project_boot._throttle (
    id text NOT NULL COLLATE pg_catalog."C",
    allowed bigint NOT NULL,
    attempts timestamp with time zone[] NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot.api_key (
    id uuid NOT NULL,
    label text NOT NULL COLLATE pg_catalog."C",
    member uuid NOT NULL,
    scope jsonb,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    hint text COLLATE pg_catalog."C",
    secret_hash text NOT NULL COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot."group" (
    id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    kind_list text[] NOT NULL COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot.kind (
    id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    active boolean NOT NULL,
    remote boolean NOT NULL,
    public boolean NOT NULL,
    parameters text[] NOT NULL COLLATE pg_catalog."C",
    "unique" jsonb NOT NULL,
    indexes jsonb NOT NULL,
    access jsonb,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot.kind_admin (
    id uuid NOT NULL,
    kind_system_user uuid NOT NULL,
    username text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    first_name text NOT NULL COLLATE pg_catalog."C",
    last_name text NOT NULL COLLATE pg_catalog."C",
    first_access_time timestamp with time zone,
    last_access_time timestamp with time zone,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot.kind_system_user (
    id uuid NOT NULL,
    username text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    username_key text COLLATE pg_catalog."C",
    email_key text COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    member_kind text COLLATE pg_catalog."C",
    member_id uuid,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_boot.link (
    id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    parameters text[] NOT NULL COLLATE pg_catalog."C",
    access jsonb,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released._code (
    id uuid NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    tries bigint NOT NULL,
    used_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released._count (
    "table" text NOT NULL COLLATE pg_catalog."C",
    change bigint NOT NULL
);
ALTER TABLE ONLY project_released._count REPLICA IDENTITY FULL;
CREATE TABLE project_released._idempotency (
    id text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL,
    status bigint,
    content text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C"
);
CREATE TABLE project_released._link (
    parent_kind text NOT NULL COLLATE pg_catalog."C",
    parent_id text NOT NULL COLLATE pg_catalog."C",
    child_kind text NOT NULL COLLATE pg_catalog."C",
    child_id text NOT NULL COLLATE pg_catalog."C",
    link_id text NOT NULL COLLATE pg_catalog."C",
    inserted_at timestamp with time zone NOT NULL,
    "plays.since" date,
    "plays.notes" jsonb[],
    "plays.bytes" bytea
);
CREATE TABLE project_released._model (
    version bigint NOT NULL,
    built_in integer NOT NULL,
    access_default text NOT NULL,
    one boolean DEFAULT true NOT NULL,
    CONSTRAINT _model_access_default_check CHECK ((access_default = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT _model_one_check CHECK (one)
);
CREATE TABLE project_released._parameter (
    id text NOT NULL COLLATE pg_catalog."C",
    kind_id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    format text NOT NULL COLLATE pg_catalog."C",
    persistence text NOT NULL COLLATE pg_catalog."C",
    helper_text text COLLATE pg_catalog."C",
    default_value jsonb,
    min_length bigint,
    max_length bigint,
    strip boolean,
    "values" jsonb,
    pattern text COLLATE pg_catalog."C",
    search text COLLATE pg_catalog."C",
    multiple boolean NOT NULL,
    nullable boolean NOT NULL,
    only_run_time boolean NOT NULL,
    is_primary boolean NOT NULL,
    required boolean NOT NULL,
    "unique" boolean NOT NULL,
    indexed boolean NOT NULL,
    hidden boolean NOT NULL,
    write_once boolean NOT NULL,
    read_access text COLLATE pg_catalog."C",
    write_access text COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    min_value jsonb,
    max_value jsonb,
    scale bigint,
    reference_kind text COLLATE pg_catalog."C",
    on_delete text COLLATE pg_catalog."C",
    defined_in text[] COLLATE pg_catalog."C"
);
CREATE TABLE project_released._query (
    id text NOT NULL COLLATE pg_catalog."C",
    calls bigint NOT NULL,
    milliseconds double precision NOT NULL,
    missing jsonb,
    since timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released._recovery (
    id text NOT NULL COLLATE pg_catalog."C",
    member_id uuid NOT NULL,
    made_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released._refresh_token (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    successor uuid
);
CREATE TABLE project_released._session (
    id uuid NOT NULL,
    member_kind text NOT NULL COLLATE pg_catalog."C",
    member_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    address text COLLATE pg_catalog."C",
    user_agent text COLLATE pg_catalog."C"
);
CREATE TABLE project_released._throttle (
    id text NOT NULL COLLATE pg_catalog."C",
    allowed bigint NOT NULL,
    attempts timestamp with time zone[] NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.api_key (
    id uuid NOT NULL,
    label text NOT NULL COLLATE pg_catalog."C",
    member uuid NOT NULL,
    scope jsonb,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    hint text COLLATE pg_catalog."C",
    secret_hash text NOT NULL COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released."group" (
    id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    kind_list text[] NOT NULL COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.kind (
    id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    active boolean NOT NULL,
    remote boolean NOT NULL,
    public boolean NOT NULL,
    parameters text[] NOT NULL COLLATE pg_catalog."C",
    "unique" jsonb NOT NULL,
    indexes jsonb NOT NULL,
    access jsonb,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.kind_admin (
    id uuid NOT NULL,
    kind_system_user uuid NOT NULL,
    username text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    first_name text NOT NULL COLLATE pg_catalog."C",
    last_name text NOT NULL COLLATE pg_catalog."C",
    first_access_time timestamp with time zone,
    last_access_time timestamp with time zone,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.kind_system_user (
    id uuid NOT NULL,
    username text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    username_key text COLLATE pg_catalog."C",
    email_key text COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    member_kind text COLLATE pg_catalog."C",
    member_id uuid,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.link (
    id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    parameters text[] NOT NULL COLLATE pg_catalog."C",
    access jsonb,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.person (
    id uuid NOT NULL,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    kind_system_user uuid NOT NULL,
    username text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    first_name text NOT NULL COLLATE pg_catalog."C",
    last_name text NOT NULL COLLATE pg_catalog."C",
    first_access_time timestamp with time zone,
    last_access_time timestamp with time zone
);
CREATE TABLE project_released.place (
    id uuid NOT NULL,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.player (
    id numeric NOT NULL,
    team text COLLATE pg_catalog."C",
    friend numeric,
    title text COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.resting (
    id uuid NOT NULL,
    title text COLLATE pg_catalog."C",
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE project_released.team (
    id text NOT NULL COLLATE pg_catalog."C",
    title text COLLATE pg_catalog."C",
    secret text COLLATE pg_catalog."C",
    _xmin bigint,
    rank bigint,
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    captain numeric,
    owner uuid
);
CREATE TABLE project_released.thing (
    id uuid NOT NULL,
    a_string text COLLATE pg_catalog."C",
    a_text text COLLATE pg_catalog."C",
    a_integer bigint,
    a_float double precision,
    a_decimal numeric,
    a_boolean boolean,
    a_date date,
    a_time time without time zone,
    a_datetime timestamp with time zone,
    a_binary bytea,
    a_json jsonb,
    a_unit uuid,
    some_string text[] COLLATE pg_catalog."C",
    some_text text[] COLLATE pg_catalog."C",
    some_integer bigint[],
    some_float double precision[],
    some_decimal numeric[],
    some_boolean boolean[],
    some_date date[],
    some_time time without time zone[],
    some_datetime timestamp with time zone[],
    some_binary bytea[],
    some_json jsonb[],
    metadata jsonb NOT NULL,
    inserted_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY kind.migrations ALTER COLUMN id SET DEFAULT nextval('kind.migrations_id_seq'::regclass);
INSERT INTO kind.migrations VALUES (1, 1763700000000, 'Registry1763700000000');
INSERT INTO kind.project VALUES ('boot', 'boot', '{}', 'active', false, 1, '2026-11-28 20:58:53.199048+00');
INSERT INTO kind.project VALUES ('released', 'The "whole"', '{"otp": false, "units": 5000}', 'active', false, 1, '2026-11-28 20:58:53.356421+00');
INSERT INTO kind.release VALUES ('0.1.0', 1, true);
INSERT INTO kind.signing VALUES ('RHPctSI-uCwj-y39ICK1Pw', 'cm1nUeNVqPngGUGX4wY9qKOuHGl4zKPb', true);
INSERT INTO project_boot._model VALUES (1, 1, 'open', true);
INSERT INTO project_boot."group" VALUES ('parameter', 'Parameter types', 'The types of which parameters are made', '{string,text,integer,float,decimal,boolean,date,time,datetime,binary,json,unit}', '{}', '2026-11-28 20:58:53.199048+00', '2026-11-28 20:58:53.199048+00');
INSERT INTO project_boot."group" VALUES ('kind_auth_member', 'Member kinds', 'Kinds whose units are members, who can sign in', '{kind_admin}', '{}', '2026-11-28 20:58:53.199049+00', '2026-11-28 20:58:53.199049+00');
INSERT INTO project_boot.kind VALUES ('kind', 'Kind', true, false, false, '{id,kind_id,label,active,remote,public,parameters,unique,indexes,access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199048+00', '2026-11-28 20:58:53.199048+00');
INSERT INTO project_boot.kind VALUES ('group', 'Group', true, false, false, '{id,kind_id,label,description,kind_list,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199049+00', '2026-11-28 20:58:53.199049+00');
INSERT INTO project_boot.kind VALUES ('link', 'Link', true, false, false, '{id,kind_id,label,parameters,access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.19905+00', '2026-11-28 20:58:53.19905+00');
INSERT INTO project_boot.kind VALUES ('string', 'String', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_string,min_length,max_length,strip,values,pattern,search,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199051+00', '2026-11-28 20:58:53.199051+00');
INSERT INTO project_boot.kind VALUES ('text', 'Text', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_text,min_length,max_length,strip,search,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199052+00', '2026-11-28 20:58:53.199052+00');
INSERT INTO project_boot.kind VALUES ('integer', 'Integer', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_integer,min_value,max_value,values,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199053+00', '2026-11-28 20:58:53.199053+00');
INSERT INTO project_boot.kind VALUES ('float', 'Float', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_float,min_value,max_value,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199054+00', '2026-11-28 20:58:53.199054+00');
INSERT INTO project_boot.kind VALUES ('decimal', 'Decimal', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_decimal,min_value,max_value,scale,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199055+00', '2026-11-28 20:58:53.199055+00');
INSERT INTO project_boot.kind VALUES ('boolean', 'Boolean', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_boolean,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199056+00', '2026-11-28 20:58:53.199056+00');
INSERT INTO project_boot.kind VALUES ('date', 'Date', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_date,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199057+00', '2026-11-28 20:58:53.199057+00');
INSERT INTO project_boot.kind VALUES ('time', 'Time', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_time,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199058+00', '2026-11-28 20:58:53.199058+00');
INSERT INTO project_boot.kind VALUES ('datetime', 'Date and time', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_datetime,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199059+00', '2026-11-28 20:58:53.199059+00');
INSERT INTO project_boot.kind VALUES ('binary', 'Binary', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_binary,max_length,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.19906+00', '2026-11-28 20:58:53.19906+00');
INSERT INTO project_boot.kind VALUES ('json', 'JSON', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_json,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199061+00', '2026-11-28 20:58:53.199061+00');
INSERT INTO project_boot.kind VALUES ('unit', 'Unit', true, false, false, '{id,kind_id,label,format,persistence,helper_text,reference_kind,on_delete,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199062+00', '2026-11-28 20:58:53.199062+00');
INSERT INTO project_boot.kind VALUES ('kind_system_user', 'System user', true, false, false, '{id,kind_id,username,email,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199063+00', '2026-11-28 20:58:53.199063+00');
INSERT INTO project_boot.kind VALUES ('kind_admin', 'Administrator', true, false, false, '{id,kind_id,kind_system_user,username,email,first_name,last_name,first_access_time,last_access_time,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199064+00', '2026-11-28 20:58:53.199064+00');
INSERT INTO project_boot.kind VALUES ('api_key', 'API key', true, false, false, '{id,kind_id,label,member,scope,expires_at,last_used_at,hint,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.199065+00', '2026-11-28 20:58:53.199065+00');
INSERT INTO project_boot.kind_admin VALUES ('01a223f4-27fc-7040-a56e-958b947c21ae', '01a223f4-280b-74ca-964a-1e9758805181', 'admin', 'admin@example.com', '', '', NULL, NULL, '{}', '2026-11-28 20:58:53.199048+00', '2026-11-28 20:58:53.199048+00');
INSERT INTO project_boot.kind_system_user VALUES ('01a223f4-280b-74ca-964a-1e9758805181', 'admin', 'admin@example.com', 'admin', 'admin@example.com', '$argon2id$v=19$m=8,t=1,p=1$uCSVq7054KzSdX3lSur35Q$piDKXVManIemZCQABlGK30xWZfT65hA24Y2BtixIlYY', 'kind_admin', '01a223f4-27fc-7040-a56e-958b947c21ae', '{}', '2026-11-28 20:58:53.199048+00', '2026-11-28 20:58:53.199048+00');
INSERT INTO project_boot.link VALUES ('link', 'Link', '{}', NULL, '{}', '2026-11-28 20:58:53.199048+00', '2026-11-28 20:58:53.199048+00');
INSERT INTO project_released._count VALUES ('place', 2);
INSERT INTO project_released._count VALUES ('thing', 69);
INSERT INTO project_released._count VALUES ('person', 1);
INSERT INTO project_released._count VALUES ('person', 1);
INSERT INTO project_released._count VALUES ('team', 2);
INSERT INTO project_released._count VALUES ('player', 2);
INSERT INTO project_released._count VALUES ('resting', 1);
INSERT INTO project_released._count VALUES ('thing', 1);
INSERT INTO project_released._link VALUES ('player', '2', 'team', 'a', 'plays', '2026-11-28 20:58:55.228255+00', '2024-02-29', '{"[1, []]","{\"a\": \"x\"}"}', '\xffef');
INSERT INTO project_released._link VALUES ('player', '2', 'player', '2', 'plays', '2026-11-28 20:58:55.23581+00', NULL, NULL, NULL);
INSERT INTO project_released._link VALUES ('thing', '01a223f4-2f89-7513-a462-cf0732809899', 'person', '01a223f4-2edd-73a7-ab4a-f1ad1a682b02', 'link', '2026-11-28 20:58:55.249611+00', NULL, NULL, NULL);
INSERT INTO project_released._model VALUES (20, 1, 'closed', true);
INSERT INTO project_released._parameter VALUES ('a_string', 'string', 'a_string', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_string', 'string', 'some_string', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_text', 'text', 'a_text', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_text', 'text', 'some_text', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_integer', 'integer', 'a_integer', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_integer', 'integer', 'some_integer', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_float', 'float', 'a_float', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_float', 'float', 'some_float', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_decimal', 'decimal', 'a_decimal', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_decimal', 'decimal', 'some_decimal', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_boolean', 'boolean', 'a_boolean', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_boolean', 'boolean', 'some_boolean', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_date', 'date', 'a_date', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_date', 'date', 'some_date', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_time', 'time', 'a_time', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_time', 'time', 'some_time', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_datetime', 'datetime', 'a_datetime', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_datetime', 'datetime', 'some_datetime', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_binary', 'binary', 'a_binary', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_binary', 'binary', 'some_binary', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_json', 'json', 'a_json', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('some_json', 'json', 'some_json', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, NULL, NULL, '{thing}');
INSERT INTO project_released._parameter VALUES ('a_unit', 'unit', 'a_unit', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00', NULL, NULL, NULL, 'place', 'restrict', '{thing}');
INSERT INTO project_released._parameter VALUES ('code', 'string', 'Code', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, false, true, false, true, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.566382+00', '2026-11-28 20:58:54.566382+00', NULL, NULL, NULL, NULL, NULL, '{team}');
INSERT INTO project_released._parameter VALUES ('secret', 'string', 'secret', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, false, true, false, false, false, false, false, true, true, NULL, NULL, '{}', '2026-11-28 20:58:54.566382+00', '2026-11-28 20:58:54.566382+00', NULL, NULL, NULL, NULL, NULL, '{team}');
INSERT INTO project_released._parameter VALUES ('title', 'text', 'title', 'attribute', 'kind_parameter', NULL, '"none"', NULL, NULL, false, NULL, NULL, 'english', false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.566382+00', '2026-11-28 20:58:54.566382+00', NULL, NULL, NULL, NULL, NULL, '{team}');
INSERT INTO project_released._parameter VALUES ('xmin', 'integer', 'xmin', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, true, false, false, '["eq(code,a)","eq(code,b)"]', NULL, '{}', '2026-11-28 20:58:54.566382+00', '2026-11-28 20:58:54.566382+00', NULL, NULL, NULL, NULL, NULL, '{team}');
INSERT INTO project_released._parameter VALUES ('rank', 'integer', 'rank', 'attribute', 'kind_parameter', NULL, '9007199254740991', NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, true, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.566382+00', '2026-11-28 20:58:54.566382+00', NULL, NULL, NULL, NULL, NULL, '{team}');
INSERT INTO project_released._parameter VALUES ('number', 'decimal', 'number', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, true, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.651484+00', '2026-11-28 20:58:54.651484+00', NULL, NULL, NULL, NULL, NULL, '{player}');
INSERT INTO project_released._parameter VALUES ('team', 'unit', 'team', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.651484+00', '2026-11-28 20:58:54.651484+00', NULL, NULL, NULL, 'team', 'cascade', '{player}');
INSERT INTO project_released._parameter VALUES ('friend', 'unit', 'friend', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.651484+00', '2026-11-28 20:58:54.651484+00', NULL, NULL, NULL, 'player', 'set_null', '{player}');
INSERT INTO project_released._parameter VALUES ('password', 'string', 'password', 'attribute', 'run_time', NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, false, true, true, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.651484+00', '2026-11-28 20:58:54.651484+00', NULL, NULL, NULL, NULL, NULL, '{player}');
INSERT INTO project_released._parameter VALUES ('captain', 'unit', 'captain', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:54.765935+00', '2026-11-28 20:58:54.765935+00', NULL, NULL, NULL, 'player', 'restrict', NULL);
INSERT INTO project_released._parameter VALUES ('owner', 'unit', 'owner', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, 'admin', NULL, '{}', '2026-11-28 20:58:54.869632+00', '2026-11-28 20:58:54.869632+00', NULL, NULL, NULL, 'person', 'restrict', NULL);
INSERT INTO project_released._parameter VALUES ('since', 'date', 'since', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:55.155051+00', '2026-11-28 20:58:55.155051+00', NULL, NULL, NULL, NULL, NULL, '{link/plays}');
INSERT INTO project_released._parameter VALUES ('notes', 'json', 'notes', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:55.155051+00', '2026-11-28 20:58:55.155051+00', NULL, NULL, NULL, NULL, NULL, '{link/plays}');
INSERT INTO project_released._parameter VALUES ('bytes', 'binary', 'bytes', 'attribute', 'kind_parameter', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, true, false, false, false, false, false, false, false, NULL, NULL, '{}', '2026-11-28 20:58:55.155051+00', '2026-11-28 20:58:55.155051+00', NULL, NULL, NULL, NULL, NULL, '{link/plays}');
INSERT INTO project_released._refresh_token VALUES ('4c0d558c-dba8-4c35-b1e3-c5dbc11adf6d', '5493fd55-ba20-490c-ab51-eb50b3a2a338', '2026-11-28 20:58:53+00', NULL, NULL);
INSERT INTO project_released._refresh_token VALUES ('0a648a64-7847-4d92-a042-be5b7520d9aa', '9fd5e661-3c17-4176-85df-4d6cf9db6bbc', '2026-11-28 20:58:55+00', NULL, NULL);
INSERT INTO project_released._refresh_token VALUES ('d6a0a9bd-de6b-4a22-9327-e5b8620773a7', '72bc799a-2482-4a0b-986d-7911ae0a2dc9', '2026-11-28 20:58:55+00', NULL, NULL);
INSERT INTO project_released._session VALUES ('5493fd55-ba20-490c-ab51-eb50b3a2a338', 'kind_admin', '01a223f4-2852-753e-af07-e7a42b06d589', '2026-11-28 20:58:53.356421+00', '2026-12-28 20:58:53.356421+00', '2026-11-28 20:58:53.356421+00', NULL, NULL);
INSERT INTO project_released._session VALUES ('9fd5e661-3c17-4176-85df-4d6cf9db6bbc', 'person', '01a223f4-2edd-73a7-ab4a-f1ad1a682b02', '2026-11-28 20:58:55.060719+00', '2026-12-28 20:58:55.060719+00', '2026-11-28 20:58:55.060719+00', '127.0.0.1', NULL);
INSERT INTO project_released._session VALUES ('72bc799a-2482-4a0b-986d-7911ae0a2dc9', 'person', '01a223f4-2f03-7412-a409-8a55c3985631', '2026-11-28 20:58:55.106991+00', '2026-12-28 20:58:55.106991+00', '2026-11-28 20:58:55.106991+00', '127.0.0.1', NULL);
INSERT INTO project_released._throttle VALUES ('4W4OT05VC12o9dazfSbxlBXOShlv2-CSF07ygwfFtYQ', 100, '{"2026-11-28 20:58:55.055002+00","2026-11-28 20:58:55.099193+00"}', '2026-11-28 21:13:55.099193+00');
INSERT INTO project_released.api_key VALUES ('01a223f4-3018-765e-9998-cb005466ff5b', 'a key', '01a223f4-2852-753e-af07-e7a42b06d589', NULL, NULL, NULL, 'ajTs', 'vKvXqetN_je8ZJ1vgfvtNmrPLG2jQ7_RK1cB_Hen2b8', '{}', '2026-11-28 20:58:55.383072+00', '2026-11-28 20:58:55.383072+00');
INSERT INTO project_released."group" VALUES ('parameter', 'Parameter types', 'The types of which parameters are made', '{string,text,integer,float,decimal,boolean,date,time,datetime,binary,json,unit}', '{}', '2026-11-28 20:58:53.356421+00', '2026-11-28 20:58:53.356421+00');
INSERT INTO project_released."group" VALUES ('kind_auth_member', 'Member kinds', 'Kinds whose units are members, who can sign in', '{kind_admin,person}', '{}', '2026-11-28 20:58:53.356422+00', '2026-11-28 20:58:54.3206+00');
INSERT INTO project_released."group" VALUES ('sports', 'sports', 'x', '{player,team}', '{}', '2026-11-28 20:58:55.331781+00', '2026-11-28 20:58:55.331781+00');
INSERT INTO project_released.kind VALUES ('kind', 'Kind', true, false, false, '{id,kind_id,label,active,remote,public,parameters,unique,indexes,access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356421+00', '2026-11-28 20:58:53.356421+00');
INSERT INTO project_released.kind VALUES ('group', 'Group', true, false, false, '{id,kind_id,label,description,kind_list,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356422+00', '2026-11-28 20:58:53.356422+00');
INSERT INTO project_released.kind VALUES ('link', 'Link', true, false, false, '{id,kind_id,label,parameters,access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356423+00', '2026-11-28 20:58:53.356423+00');
INSERT INTO project_released.kind VALUES ('text', 'Text', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_text,min_length,max_length,strip,search,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356425+00', '2026-11-28 20:58:53.356425+00');
INSERT INTO project_released.kind VALUES ('integer', 'Integer', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_integer,min_value,max_value,values,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356426+00', '2026-11-28 20:58:53.356426+00');
INSERT INTO project_released.kind VALUES ('float', 'Float', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_float,min_value,max_value,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356427+00', '2026-11-28 20:58:53.356427+00');
INSERT INTO project_released.kind VALUES ('decimal', 'Decimal', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_decimal,min_value,max_value,scale,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356428+00', '2026-11-28 20:58:53.356428+00');
INSERT INTO project_released.kind VALUES ('boolean', 'Boolean', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_boolean,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356429+00', '2026-11-28 20:58:53.356429+00');
INSERT INTO project_released.kind VALUES ('date', 'Date', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_date,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.35643+00', '2026-11-28 20:58:53.35643+00');
INSERT INTO project_released.kind VALUES ('time', 'Time', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_time,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356431+00', '2026-11-28 20:58:53.356431+00');
INSERT INTO project_released.kind VALUES ('datetime', 'Date and time', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_datetime,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356432+00', '2026-11-28 20:58:53.356432+00');
INSERT INTO project_released.kind VALUES ('binary', 'Binary', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_binary,max_length,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356433+00', '2026-11-28 20:58:53.356433+00');
INSERT INTO project_released.kind VALUES ('json', 'JSON', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_json,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356434+00', '2026-11-28 20:58:53.356434+00');
INSERT INTO project_released.kind VALUES ('unit', 'Unit', true, false, false, '{id,kind_id,label,format,persistence,helper_text,reference_kind,on_delete,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356435+00', '2026-11-28 20:58:53.356435+00');
INSERT INTO project_released.kind VALUES ('kind_system_user', 'System user', true, false, false, '{id,kind_id,username,email,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356436+00', '2026-11-28 20:58:53.356436+00');
INSERT INTO project_released.kind VALUES ('api_key', 'API key', true, false, false, '{id,kind_id,label,member,scope,expires_at,last_used_at,hint,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.356438+00', '2026-11-28 20:58:53.356438+00');
INSERT INTO project_released.kind VALUES ('person', 'Person', true, false, false, '{kind_system_user,username,email,first_name,last_name,first_access_time,last_access_time}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:53.443686+00', '2026-11-28 20:58:54.322485+00');
INSERT INTO project_released.kind VALUES ('place', 'Place', true, false, false, '{}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:54.369621+00', '2026-11-28 20:58:54.369621+00');
INSERT INTO project_released.kind VALUES ('thing', 'Thing', true, false, false, '{a_string,a_text,a_integer,a_float,a_decimal,a_boolean,a_date,a_time,a_datetime,a_binary,a_json,a_unit,some_string,some_text,some_integer,some_float,some_decimal,some_boolean,some_date,some_time,some_datetime,some_binary,some_json}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:54.402712+00', '2026-11-28 20:58:54.402712+00');
INSERT INTO project_released.kind VALUES ('player', 'player', true, false, false, '{number,team,friend,title,password}', '[["team", "title"]]', '[["title", "team"]]', NULL, '{}', '2026-11-28 20:58:54.651484+00', '2026-11-28 20:58:54.651484+00');
INSERT INTO project_released.kind VALUES ('far', 'far', true, true, false, '{title}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:54.739135+00', '2026-11-28 20:58:54.739135+00');
INSERT INTO project_released.kind VALUES ('resting', 'resting', false, false, false, '{title}', '[]', '[]', NULL, '{}', '2026-11-28 20:58:54.715589+00', '2026-11-28 20:58:55.264511+00');
INSERT INTO project_released.kind VALUES ('kind_admin', 'Administrator', true, false, false, '{id,kind_id,kind_system_user,username,email,first_name,last_name,first_access_time,last_access_time,metadata,inserted_at,updated_at}', '[]', '[]', '{"read": "member"}', '{}', '2026-11-28 20:58:53.356437+00', '2026-11-28 20:58:55.319988+00');
INSERT INTO project_released.kind VALUES ('string', 'Word', true, false, false, '{id,kind_id,label,format,persistence,helper_text,default_string,min_length,max_length,strip,values,pattern,search,multiple,nullable,only_run_time,is_primary,required,unique,indexed,hidden,write_once,read_access,write_access,metadata,inserted_at,updated_at}', '[]', '[]', NULL, '{"a": 1}', '2026-11-28 20:58:53.356424+00', '2026-11-28 20:58:55.295375+00');
INSERT INTO project_released.kind VALUES ('team', 'Team "A"
ß 🙂', true, false, false, '{code,title,secret,xmin,rank,captain,owner}', '[]', '[]', '{"read": ["eq(code,a)"], "update": "nobody"}', '{"key": "kind_released_AVHexyti22lgZPSodBtqfEuddUA5TW9cc5fhmo0ajTs"}', '2026-11-28 20:58:54.566382+00', '2026-11-28 20:58:55.41409+00');
INSERT INTO project_released.kind_admin VALUES ('01a223f4-2852-753e-af07-e7a42b06d589', '01a223f4-2852-753e-af07-ea7ebc89353e', 'admin', 'admin@example.com', '', '', NULL, NULL, '{}', '2026-11-28 20:58:53.356421+00', '2026-11-28 20:58:53.356421+00');
INSERT INTO project_released.kind_system_user VALUES ('01a223f4-2ede-7618-965a-13831618ec37', 'ann', 'ann@example.com', 'ann', 'ann@example.com', '$argon2id$v=19$m=8,t=1,p=1$jXsmo+FX60y6rwBnPYKyBg$GVjCQaeavNtgYEg9TZWIiktpw1BrVZEsEewXObS3+7s', 'person', '01a223f4-2edd-73a7-ab4a-f1ad1a682b02', '{}', '2026-11-28 20:58:55.060719+00', '2026-11-28 20:58:55.060719+00');
INSERT INTO project_released.kind_system_user VALUES ('01a223f4-2f03-7412-a409-8e3c20cedb05', 'bob', 'bob@example.com', 'bob', 'bob@example.com', '$argon2id$v=19$m=8,t=1,p=1$zIKcsvj30pDRBtYhKdUeDQ$xlIY60j4m1t+04FsDXguKDkYHmeHscr08CFVJ9RPZUI', 'person', '01a223f4-2f03-7412-a409-8a55c3985631', '{}', '2026-11-28 20:58:55.106991+00', '2026-11-28 20:58:55.106991+00');
INSERT INTO project_released.kind_system_user VALUES ('01a223f4-2852-753e-af07-ea7ebc89353e', 'admin', 'admin@example.com', 'admin', 'admin@example.com', '$argon2id$v=19$m=8,t=1,p=1$H9nOiNA2sesGq+QegBNzng$BDQUkEPVmDY/jsrwW2Xweh0ZTxXyPGyxYHon8+y/GfM', 'kind_admin', '01a223f4-2852-753e-af07-e7a42b06d589', '{}', '2026-11-28 20:58:53.356421+00', '2026-11-28 20:58:53.356421+00');
INSERT INTO project_released.link VALUES ('link', 'Link', '{}', NULL, '{}', '2026-11-28 20:58:53.356421+00', '2026-11-28 20:58:53.356421+00');
INSERT INTO project_released.link VALUES ('plays', 'plays', '{since,notes,bytes}', '{"delete": "admin"}', '{}', '2026-11-28 20:58:55.155051+00', '2026-11-28 20:58:55.155051+00');
INSERT INTO project_released.person VALUES ('01a223f4-2edd-73a7-ab4a-f1ad1a682b02', '{}', '2026-11-28 20:58:55.060719+00', '2026-11-28 20:58:55.060719+00', '01a223f4-2ede-7618-965a-13831618ec37', 'ann', 'ann@example.com', 'Ann 🙂', '', '2026-11-28 20:58:55.060719+00', '2026-11-28 20:58:55.060719+00');
INSERT INTO project_released.person VALUES ('01a223f4-2f03-7412-a409-8a55c3985631', '{}', '2026-11-28 20:58:55.106991+00', '2026-11-28 20:58:55.106991+00', '01a223f4-2f03-7412-a409-8e3c20cedb05', 'bob', 'bob@example.com', '', '', '2026-11-28 20:58:55.106991+00', '2026-11-28 20:58:55.106991+00');
INSERT INTO project_released.place VALUES ('01a223f4-2e65-76ab-9e24-5a377678d53e', '{}', '2026-11-28 20:58:54.951371+00', '2026-11-28 20:58:54.951371+00');
INSERT INTO project_released.place VALUES ('01a223f4-2e66-7585-ace3-fd689e07bb2a', '{}', '2026-11-28 20:58:54.951371+00', '2026-11-28 20:58:54.951371+00');
INSERT INTO project_released.player VALUES (2, 'b/é 🙂', 2, 'none', '{}', '2026-11-28 20:58:55.123878+00', '2026-11-28 20:58:55.135896+00');
INSERT INTO project_released.player VALUES (12345678901234567890.5, 'a', 2, 'x', '{}', '2026-11-28 20:58:55.123878+00', '2026-11-28 20:58:55.146863+00');
INSERT INTO project_released.resting VALUES ('01a223f4-2f2c-757f-9603-5561d6855ac0', 'ab	c', '{}', '2026-11-28 20:58:55.1528+00', '2026-11-28 20:58:55.1528+00');
INSERT INTO project_released.team VALUES ('a', 'none', 's', 7, 9007199254740991, '{}', '2026-11-28 20:58:55.117723+00', '2026-11-28 20:58:55.117723+00', NULL, '01a223f4-2edd-73a7-ab4a-f1ad1a682b02');
INSERT INTO project_released.team VALUES ('b/é 🙂', 'none', NULL, NULL, 1, '{}', '2026-11-28 20:58:55.117723+00', '2026-11-28 20:58:55.117723+00', NULL, NULL);
INSERT INTO project_released.thing VALUES ('01a223f4-2e88-76b7-9cc5-139e0924ee4e', '', '', -9007199254740991, -10000000000, -1.5, true, '0001-01-01', '00:00:00', '0001-01-01 00:00:00+00', '\x', '""', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"",a,A}', '{"",a,A}', '{-9007199254740991,-10,-1}', '{-10000000000,-1.5,0}', '{-1.5,-0.0001,0}', '{t,f}', '{0001-01-01,0999-12-31,1969-12-31}', '{00:00:00,09:30:00,09:30:00.000001}', '{"0001-01-01 00:00:00+00","1969-12-31 23:59:59.999999+00","1970-01-01 00:00:00+00"}', '{"\\x","\\x00","\\x000102"}', '{"\"\"","\"red\"","\"null\""}', '{"n": 0}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8d-71f6-8545-6b5c1319fd0d', 'a', 'a', -10, -1.5, -0.0001, false, '0999-12-31', '09:30:00', '1969-12-31 23:59:59.999999+00', '\x00', '"red"', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a,A,ab}', '{a,A,ab}', '{-10,-1,0}', '{-1.5,0,0.1}', '{-0.0001,0,0.1}', '{f}', '{0999-12-31,1969-12-31,1970-01-01}', '{09:30:00,09:30:00.000001,09:30:00.5}', '{"1969-12-31 23:59:59.999999+00","1970-01-01 00:00:00+00","2024-01-31 00:00:00+00"}', '{"\\x00","\\x000102","\\xffef"}', '{"\"red\"","\"null\"","\"1\""}', '{"n": 1}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-4984b74aa860', 'A', 'A', -1, 0, 0, NULL, '1969-12-31', '09:30:00.000001', '1970-01-01 00:00:00+00', '\x000102', '"null"', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{A,ab,aB}', '{A,ab,aB}', '{-1,0,1}', '{0,0.1,0.30000000000000004}', '{0,0.1,0.10000000000000000000000000000001}', '{}', '{1969-12-31,1970-01-01,2024-02-29}', '{09:30:00.000001,09:30:00.5,23:59:59.999999}', '{"1970-01-01 00:00:00+00","2024-01-31 00:00:00+00","2024-01-31 09:30:00.123456+00"}', '{"\\x000102","\\xffef","\\x61"}', '{"\"null\"","\"1\"","\"{}\""}', '{"n": 2}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-4e4410ab78fe', 'ab', 'ab', 0, 0.1, 0.1, NULL, '1970-01-01', '09:30:00.5', '2024-01-31 00:00:00+00', '\xffef', '"1"', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{ab,aB,abc}', '{ab,aB,abc}', '{0,1,2}', '{0.1,0.30000000000000004,1e-07}', '{0.1,0.10000000000000000000000000000001,1}', '{}', '{1970-01-01,2024-02-29,2024-12-31}', '{09:30:00.5,23:59:59.999999}', '{"2024-01-31 00:00:00+00","2024-01-31 09:30:00.123456+00","2024-01-31 09:30:00.25+00"}', '{"\\xffef","\\x61"}', '{"\"1\"","\"{}\"","\"[1,2]\""}', '{"n": 3}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-5211367ec716', 'aB', 'aB', 1, 0.30000000000000004, 0.10000000000000000000000000000001, NULL, '2024-02-29', '23:59:59.999999', '2024-01-31 09:30:00.123456+00', '\x61', '"{}"', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{aB,abc,%}', '{aB,abc,%}', '{1,2,10}', '{0.30000000000000004,1e-07,1e+21}', '{0.10000000000000000000000000000001,1,1.05}', '{}', '{2024-02-29,2024-12-31,9999-12-31}', '{23:59:59.999999}', '{"2024-01-31 09:30:00.123456+00","2024-01-31 09:30:00.25+00","9999-12-31 23:59:59.999999+00"}', '{"\\x61"}', '{"\"{}\"","\"[1,2]\"","\"a\\\"b\""}', '{"n": 4}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-55e27f9ba04e', 'abc', 'abc', 2, 1e-07, 1, NULL, '2024-12-31', NULL, '2024-01-31 09:30:00.25+00', NULL, '"[1,2]"', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{abc,%,_}', '{abc,%,_}', '{2,10,9007199254740991}', '{1e-07,1e+21,5e-324}', '{1,1.05,10}', '{}', '{2024-12-31,9999-12-31}', '{}', '{"2024-01-31 09:30:00.25+00","9999-12-31 23:59:59.999999+00"}', '{}', '{"\"[1,2]\"","\"a\\\"b\"","\"🙂\""}', '{"n": 5}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-59ca3e60b07a', '%', '%', 10, 1e+21, 1.05, NULL, '9999-12-31', NULL, '9999-12-31 23:59:59.999999+00', NULL, '"a\"b"', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{%,_,a%b}', '{%,_,a%b}', '{10,9007199254740991}', '{1e+21,5e-324,1.7976931348623157e+308}', '{1.05,10,99999999999999999999999999999999999}', '{}', '{9999-12-31}', '{}', '{"9999-12-31 23:59:59.999999+00"}', '{}', '{"\"a\\\"b\"","\"🙂\"",0}', '{"n": 6}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-5dd7fedbf9c8', '_', '_', 9007199254740991, 5e-324, 10, NULL, NULL, NULL, NULL, NULL, '"🙂"', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{_,a%b,a_b}', '{_,a%b,a_b}', '{9007199254740991}', '{5e-324,1.7976931348623157e+308,9.007199254740992e+15}', '{10,99999999999999999999999999999999999}', '{}', '{}', '{}', '{}', '{}', '{"\"🙂\"",0,1}', '{"n": 7}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-60adcef1944b', 'a%b', 'a%b', NULL, 1.7976931348623157e+308, 99999999999999999999999999999999999, NULL, NULL, NULL, NULL, NULL, '0', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a%b,a_b,a%}', '{a%b,a_b,a%}', '{}', '{1.7976931348623157e+308,9.007199254740992e+15}', '{99999999999999999999999999999999999}', '{}', '{}', '{}', '{}', '{}', '{0,1,-1.5}', '{"n": 8}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-65108a00bf67', 'a_b', 'a_b', NULL, 9.007199254740992e+15, NULL, NULL, NULL, NULL, NULL, NULL, '1', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a_b,a%,"\\"}', '{a_b,a%,"\\"}', '{}', '{9.007199254740992e+15}', '{}', '{}', '{}', '{}', '{}', '{}', '{1,-1.5,true}', '{"n": 9}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-6941b51f6b39', 'a%', 'a%', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '-1.5', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a%,"\\","\\%"}', '{a%,"\\","\\%"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{-1.5,true,false}', '{"n": 10}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-6f190698f9c7', '\', '\', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'true', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"\\","\\%","a\\b"}', '{"\\","\\%","a\\b"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{true,false,[]}', '{"n": 11}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-704016e6ee41', '\%', '\%', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"\\%","a\\b","\""}', '{"\\%","a\\b","\""}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{false,[],"{}"}', '{"n": 12}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8e-74e6-b13a-7687a8dbb943', 'a\b', 'a\b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"a\\b","\"",''}', '{"a\\b","\"",''}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{[],"{}","[1, 2]"}', '{"n": 13}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-2777400bb508', '"', '"', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"\"",'',"a\"b"}', '{"\"",'',"a\"b"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{}","[1, 2]","[1, [2, {\"a\": null}]]"}', '{"n": 14}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-28d52f2df6cb', '''', '''', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[1, 2]', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{'',"a\"b",a''b}', '{'',"a\"b",a''b}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"[1, 2]","[1, [2, {\"a\": null}]]","[\"1\", 1]"}', '{"n": 15}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-2d09418707e1', 'a"b', 'a"b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[1, [2, {"a": null}]]', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"a\"b",a''b,"\\\""}', '{"a\"b",a''b,"\\\""}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"[1, [2, {\"a\": null}]]","[\"1\", 1]","{\"color\": \"red\"}"}', '{"n": 16}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-314bd615bcbc', 'a''b', 'a''b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["1", 1]', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a''b,"\\\"",(}', '{a''b,"\\\"",(}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"[\"1\", 1]","{\"color\": \"red\"}","{\"size\": {\"width\": 42}, \"color\": \"Red\"}"}', '{"n": 17}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-367f56bb2d59', '\"', '\"', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"color": "red"}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"\\\"",(,)}', '{"\\\"",(,)}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"color\": \"red\"}","{\"size\": {\"width\": 42}, \"color\": \"Red\"}","{\"color\": null}"}', '{"n": 18}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-389a43a82f7d', '(', '(', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"size": {"width": 42}, "color": "Red"}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{(,),()}', '{(,),()}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"size\": {\"width\": 42}, \"color\": \"Red\"}","{\"color\": null}","{\"color\": [\"red\"]}"}', '{"n": 19}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-3e88253e81b9', ')', ')', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"color": null}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{),(),a(b}', '{),(),a(b}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"color\": null}","{\"color\": [\"red\"]}","{\"size\": {\"width\": \"42\", \"height\": 1.5}}"}', '{"n": 20}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-41ec3cabd91f', '()', '()', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"color": ["red"]}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{(),a(b,a)b}', '{(),a(b,a)b}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"color\": [\"red\"]}","{\"size\": {\"width\": \"42\", \"height\": 1.5}}","{\"\": \"empty\", \"0\": \"zero\", \"a.b\": 1, \"it\\\"s\": \"x\", \"ü 🙂\": {\"(\": \")\"}}"}', '{"n": 21}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-4763a8414962', 'a(b', 'a(b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"size": {"width": "42", "height": 1.5}}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a(b,a)b,a(b)c}', '{a(b,a)b,a(b)c}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"size\": {\"width\": \"42\", \"height\": 1.5}}","{\"\": \"empty\", \"0\": \"zero\", \"a.b\": 1, \"it\\\"s\": \"x\", \"ü 🙂\": {\"(\": \")\"}}","{\"a\": 1, \"b\": 2}"}', '{"n": 22}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-4bfb5835b635', 'a)b', 'a)b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"": "empty", "0": "zero", "a.b": 1, "it\"s": "x", "ü 🙂": {"(": ")"}}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a)b,a(b)c,","}', '{a)b,a(b)c,","}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"\": \"empty\", \"0\": \"zero\", \"a.b\": 1, \"it\\\"s\": \"x\", \"ü 🙂\": {\"(\": \")\"}}","{\"a\": 1, \"b\": 2}","{\"list\": [\"x\", \"y\", {\"z\": true}]}"}', '{"n": 23}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-4cfa1f281fb2', 'a(b)c', 'a(b)c', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"a": 1, "b": 2}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{a(b)c,",","a,b"}', '{a(b)c,",","a,b"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"a\": 1, \"b\": 2}","{\"list\": [\"x\", \"y\", {\"z\": true}]}"}', '{"n": 24}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-5253002e6ac3', ',', ',', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"list": ["x", "y", {"z": true}]}', '01a223f4-2e65-76ab-9e24-5a377678d53e', '{",","a,b",[}', '{",","a,b",[}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"{\"list\": [\"x\", \"y\", {\"z\": true}]}"}', '{"n": 25}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-54d876f42c22', 'a,b', 'a,b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"a,b",[,]}', '{"a,b",[,]}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 26}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-5bdf8299d7e9', '[', '[', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{[,],[x]}', '{[,],[x]}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 27}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-5ec7ad4edbc3', ']', ']', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{],[x],"[a,b]"}', '{],[x],"[a,b]"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 28}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-61d53b559b7e', '[x]', '[x]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{[x],"[a,b]","{"}', '{[x],"[a,b]","{"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 29}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-679c2991e4ab', '[a,b]', '[a,b]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"[a,b]","{","{}"}', '{"[a,b]","{","{}"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 30}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-69feb22872ee', '{', '{', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"{","{}","{\"a\":1}"}', '{"{","{}","{\"a\":1}"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 31}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e8f-75a2-bc13-6e206a4f63fd', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"{}","{\"a\":1}",$1}', '{"{}","{\"a\":1}",$1}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 32}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-03a912b5f553', '{"a":1}', '{"a":1}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"{\"a\":1}",$1,::}', '{"{\"a\":1}",$1,::}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 33}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-0754f0f2169a', '$1', '$1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{$1,::,--}', '{$1,::,--}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 34}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-098c17244d48', '::', '::', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{::,--,/*}', '{::,--,/*}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 35}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-0cc32acdb589', '--', '--', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{--,/*,🙂}', '{--,/*,🙂}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 36}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-117cd5ad9f9d', '/*', '/*', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{/*,🙂,👩‍👩‍👧}', '{/*,🙂,👩‍👩‍👧}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 37}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-16415586bbda', '🙂', '🙂', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{🙂,👩‍👩‍👧,😀x}', '{🙂,👩‍👩‍👧,😀x}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 38}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-1871f8db4e65', '👩‍👩‍👧', '👩‍👩‍👧', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{👩‍👩‍👧,😀x,￮}', '{👩‍👩‍👧,😀x,￮}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 39}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-1cc36545fba5', '😀x', '😀x', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{😀x,￮,}', '{😀x,￮,}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 40}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-23c4bd9241a4', '￮', '￮', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{￮,,é}', '{￮,,é}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 41}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-2438037bf6f1', '', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{,é,É}', '{,é,É}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 42}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-2851732b09e4', 'é', 'é', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{é,É,é}', '{é,É,é}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 43}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-2d033eb03664', 'É', 'É', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{É,é,ж}', '{É,é,ж}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 44}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e90-7755-8a1a-327d36e2cc02', 'é', 'é', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{é,ж,Ж}', '{é,ж,Ж}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 45}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e96-73f9-a8a0-8ee35f3a8067', 'ж', 'ж', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{ж,Ж,ß}', '{ж,Ж,ß}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 46}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a141-f1ad9f550f2b', 'Ж', 'Ж', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{Ж,ß,ﬀ}', '{Ж,ß,ﬀ}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 47}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a141-f578cfbbd81a', 'ß', 'ß', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{ß,ﬀ,שלום}', '{ß,ﬀ,שלום}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 48}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a141-fba59d0a3565', 'ﬀ', 'ﬀ', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{ﬀ,שלום,مرحبا}', '{ﬀ,שלום,مرحبا}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 49}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a141-ff6522e87da3', 'שלום', 'שלום', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{שלום,مرحبا,‮abc}', '{שלום,مرحبا,‮abc}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 50}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-02ed845fc1c0', 'مرحبا', 'مرحبا', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{مرحبا,‮abc,​}', '{مرحبا,‮abc,​}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 51}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-0744111391ec', '‮abc', '‮abc', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{‮abc,​,﻿}', '{‮abc,​,﻿}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 52}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-0aea61a88dff', '​', '​', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{​,﻿, }', '{​,﻿, }', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 53}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-0ea31e3e5384', '﻿', '﻿', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{﻿, ," "}', '{﻿, ," "}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 54}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-13776f96e037', ' ', ' ', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{ ," ","  a  "}', '{ ," ","  a  "}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 55}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-1764d5e9d2b7', ' ', ' ', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{" ","  a  ","
"}', '{" ","  a  ","
"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 56}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-1ad7b07a6310', '  a  ', '  a  ', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"  a  ","
","	"}', '{"  a  ","
","	"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 57}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-1ea8a86e2449', '
', '
', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"
","	","a
b"}', '{"
","	","a
b"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 58}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-21df73a002ac', '	', '	', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"	","a
b","null"}', '{"	","a
b","null"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 59}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-2433664bec83', 'a
b', 'a
b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"a
b","null",true}', '{"a
b","null",true}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 60}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-2b5da7576a0d', 'null', 'null', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"null",true,1}', '{"null",true,1}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 61}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-2c617b37b990', 'true', 'true', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{true,1,01}', '{true,1,01}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 62}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-30d53cbb8c26', '1', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{1,01,@member.id}', '{1,01,@member.id}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 63}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-3557a6c15c12', '01', '01', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{01,@member.id,"and(a,b)"}', '{01,@member.id,"and(a,b)"}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 64}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-3afbfeb7e9cf', '@member.id', '@member.id', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{@member.id,"and(a,b)",xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{@member.id,"and(a,b)",xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 65}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-3fd574b9ed06', 'and(a,b)', 'and(a,b)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{"and(a,b)",xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{"and(a,b)",xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 66}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e97-76d0-a142-42f6362cabe1', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a223f4-2e65-76ab-9e24-5a377678d53e', '{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{"n": 67}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2e98-706d-8bf1-4ed8e2ebfa8d', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '2026-11-28 20:58:55.010106+00', '2026-11-28 20:58:55.010106+00');
INSERT INTO project_released.thing VALUES ('01a223f4-2f89-7513-a462-cf0732809899', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '2026-11-28 20:58:55.246259+00', '2026-11-28 20:58:55.246259+00');
SELECT pg_catalog.setval('kind.migrations_id_seq', 1, true);
ALTER TABLE ONLY kind.migrations
    ADD CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id);
ALTER TABLE ONLY kind.project
    ADD CONSTRAINT project_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kind.release
    ADD CONSTRAINT release_pkey PRIMARY KEY (one);
ALTER TABLE ONLY kind.service
    ADD CONSTRAINT service_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kind.signing
    ADD CONSTRAINT signing_pkey PRIMARY KEY (one);
ALTER TABLE ONLY project_boot._code
    ADD CONSTRAINT __code_id_f585a53834_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._idempotency
    ADD CONSTRAINT __idempotency_id_563e372500_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._link
    ADD CONSTRAINT __link_id_44d9171ee4_pkey PRIMARY KEY (parent_kind, parent_id, child_kind, child_id, link_id);
ALTER TABLE ONLY project_boot._parameter
    ADD CONSTRAINT __parameter_id_07dac8dde3_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._query
    ADD CONSTRAINT __query_id_3029df4dd6_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._recovery
    ADD CONSTRAINT __recovery_id_59974091e0_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._refresh_token
    ADD CONSTRAINT __refresh_token_id_c4972e16cf_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._session
    ADD CONSTRAINT __session_id_b0f03dfed5_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._throttle
    ADD CONSTRAINT __throttle_id_3f98f4d289_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot.api_key
    ADD CONSTRAINT _api_key_id_11e6802878_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot."group"
    ADD CONSTRAINT _group_id_94c806b2b0_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot.kind_admin
    ADD CONSTRAINT _kind_admin_id_d00e5abf92_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot.kind
    ADD CONSTRAINT _kind_id_b29cb41c1c_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot.kind_system_user
    ADD CONSTRAINT _kind_system_user_id_c68584e001_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot.link
    ADD CONSTRAINT _link_id_622bd25743_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_boot._model
    ADD CONSTRAINT _model_pkey PRIMARY KEY (one);
ALTER TABLE ONLY project_released._code
    ADD CONSTRAINT __code_id_f585a53834_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._idempotency
    ADD CONSTRAINT __idempotency_id_563e372500_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._link
    ADD CONSTRAINT __link_id_44d9171ee4_pkey PRIMARY KEY (parent_kind, parent_id, child_kind, child_id, link_id);
ALTER TABLE ONLY project_released._parameter
    ADD CONSTRAINT __parameter_id_07dac8dde3_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._query
    ADD CONSTRAINT __query_id_3029df4dd6_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._recovery
    ADD CONSTRAINT __recovery_id_59974091e0_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._refresh_token
    ADD CONSTRAINT __refresh_token_id_c4972e16cf_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._session
    ADD CONSTRAINT __session_id_b0f03dfed5_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._throttle
    ADD CONSTRAINT __throttle_id_3f98f4d289_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.api_key
    ADD CONSTRAINT _api_key_id_11e6802878_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released."group"
    ADD CONSTRAINT _group_id_94c806b2b0_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.kind_admin
    ADD CONSTRAINT _kind_admin_id_d00e5abf92_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.kind
    ADD CONSTRAINT _kind_id_b29cb41c1c_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.kind_system_user
    ADD CONSTRAINT _kind_system_user_id_c68584e001_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.link
    ADD CONSTRAINT _link_id_622bd25743_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released._model
    ADD CONSTRAINT _model_pkey PRIMARY KEY (one);
ALTER TABLE ONLY project_released.person
    ADD CONSTRAINT _person_id_5d9a4d327a_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.place
    ADD CONSTRAINT _place_id_59405d6ce0_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.player
    ADD CONSTRAINT _player_id_42371ab2de_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.resting
    ADD CONSTRAINT _resting_id_622dbbb24a_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.team
    ADD CONSTRAINT _team_id_d21dbf0387_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project_released.thing
    ADD CONSTRAINT _thing_id_ecb71b9130_pkey PRIMARY KEY (id);
CREATE INDEX __count_table_5d40a02b30_idx ON project_boot._count USING btree ("table");
CREATE INDEX __idempotency_expires_at_8fc7306a46_idx ON project_boot._idempotency USING btree (expires_at);
CREATE INDEX __link_child_kind_child_id_parent_kind_parent_id_09f5156172_idx ON project_boot._link USING btree (child_kind, child_id, parent_kind, parent_id, link_id);
CREATE INDEX __recovery_member_id_b1686e3dac_idx ON project_boot._recovery USING btree (member_id);
CREATE INDEX __refresh_token_session_id_295d0be7e4_idx ON project_boot._refresh_token USING btree (session_id);
CREATE INDEX __session_expires_at_8006bfdcfd_idx ON project_boot._session USING btree (expires_at);
CREATE INDEX __session_member_id_c9bc29ce91_idx ON project_boot._session USING btree (member_id);
CREATE INDEX __throttle_expires_at_fad5b6e692_idx ON project_boot._throttle USING btree (expires_at);
CREATE INDEX _api_key_member_ebac462134_idx ON project_boot.api_key USING btree (member);
CREATE UNIQUE INDEX _api_key_secret_hash_52bae9bc35_key ON project_boot.api_key USING btree (secret_hash);
CREATE UNIQUE INDEX _kind_admin_kind_system_user_09aaa54714_key ON project_boot.kind_admin USING btree (kind_system_user);
CREATE UNIQUE INDEX _kind_system_user_email_key_870b0ba2c4_key ON project_boot.kind_system_user USING btree (email_key);
CREATE INDEX _kind_system_user_member_id_2120ebdd4c_idx ON project_boot.kind_system_user USING btree (member_id);
CREATE UNIQUE INDEX _kind_system_user_username_key_f0b62931ef_key ON project_boot.kind_system_user USING btree (username_key);
CREATE INDEX __count_table_5d40a02b30_idx ON project_released._count USING btree ("table");
CREATE INDEX __idempotency_expires_at_8fc7306a46_idx ON project_released._idempotency USING btree (expires_at);
CREATE INDEX __link_child_kind_child_id_parent_kind_parent_id_09f5156172_idx ON project_released._link USING btree (child_kind, child_id, parent_kind, parent_id, link_id);
CREATE INDEX __recovery_member_id_b1686e3dac_idx ON project_released._recovery USING btree (member_id);
CREATE INDEX __refresh_token_session_id_295d0be7e4_idx ON project_released._refresh_token USING btree (session_id);
CREATE INDEX __session_expires_at_8006bfdcfd_idx ON project_released._session USING btree (expires_at);
CREATE INDEX __session_member_id_c9bc29ce91_idx ON project_released._session USING btree (member_id);
CREATE INDEX __throttle_expires_at_fad5b6e692_idx ON project_released._throttle USING btree (expires_at);
CREATE INDEX _api_key_member_ebac462134_idx ON project_released.api_key USING btree (member);
CREATE UNIQUE INDEX _api_key_secret_hash_52bae9bc35_key ON project_released.api_key USING btree (secret_hash);
CREATE UNIQUE INDEX _kind_admin_kind_system_user_09aaa54714_key ON project_released.kind_admin USING btree (kind_system_user);
CREATE UNIQUE INDEX _kind_system_user_email_key_870b0ba2c4_key ON project_released.kind_system_user USING btree (email_key);
CREATE INDEX _kind_system_user_member_id_2120ebdd4c_idx ON project_released.kind_system_user USING btree (member_id);
CREATE UNIQUE INDEX _kind_system_user_username_key_f0b62931ef_key ON project_released.kind_system_user USING btree (username_key);
CREATE UNIQUE INDEX _person_kind_system_user_4d2b7adc0a_key ON project_released.person USING btree (kind_system_user);
CREATE INDEX _player_friend_inserted_at_23157e7ee7_idx ON project_released.player USING btree (friend, inserted_at);
CREATE INDEX _player_inserted_at_id_17f34c5e59_idx ON project_released.player USING btree (inserted_at, id);
CREATE INDEX _player_team_inserted_at_cd17609263_idx ON project_released.player USING btree (team, inserted_at);
CREATE UNIQUE INDEX _player_team_title_6e010a0657_key ON project_released.player USING btree (team, title);
CREATE INDEX _player_title_english_a3c7491568_search ON project_released.player USING gin (to_tsvector('english'::regconfig, lower(("left"(COALESCE(title, ''::text), 100000) COLLATE project_released._fold))));
CREATE INDEX _player_title_team_inserted_at_3dc45f1f8f_idx ON project_released.player USING btree (title, team, inserted_at);
CREATE INDEX _resting_title_english_081ff1403b_search ON project_released.resting USING gin (to_tsvector('english'::regconfig, lower(("left"(COALESCE(title, ''::text), 100000) COLLATE project_released._fold))));
CREATE INDEX _team__xmin_inserted_at_40e1073f65_idx ON project_released.team USING btree (_xmin, inserted_at);
CREATE INDEX _team_captain_inserted_at_654337bb7c_idx ON project_released.team USING btree (captain, inserted_at);
CREATE INDEX _team_inserted_at_id_5f48850364_idx ON project_released.team USING btree (inserted_at, id);
CREATE INDEX _team_owner_inserted_at_6c5c6c2a23_idx ON project_released.team USING btree (owner, inserted_at);
CREATE UNIQUE INDEX _team_rank_a369338718_key ON project_released.team USING btree (rank);
CREATE INDEX _team_title_english_99654bda6d_search ON project_released.team USING gin (to_tsvector('english'::regconfig, lower(("left"(COALESCE(title, ''::text), 100000) COLLATE project_released._fold))));
CREATE INDEX _thing_a_unit_id_6eaa38f3f6_idx ON project_released.thing USING btree (a_unit, id);
ALTER TABLE ONLY project_released.player
    ADD CONSTRAINT _player_friend_93a3eadc12_fkey FOREIGN KEY (friend) REFERENCES project_released.player(id) ON DELETE SET NULL;
ALTER TABLE ONLY project_released.player
    ADD CONSTRAINT _player_team_3f37d14378_fkey FOREIGN KEY (team) REFERENCES project_released.team(id) ON DELETE CASCADE;
ALTER TABLE ONLY project_released.team
    ADD CONSTRAINT _team_captain_deba279031_fkey FOREIGN KEY (captain) REFERENCES project_released.player(id) ON DELETE RESTRICT;
ALTER TABLE ONLY project_released.team
    ADD CONSTRAINT _team_owner_40d32326b5_fkey FOREIGN KEY (owner) REFERENCES project_released.person(id) ON DELETE RESTRICT;
ALTER TABLE ONLY project_released.thing
    ADD CONSTRAINT _thing_a_unit_2d2b238d46_fkey FOREIGN KEY (a_unit) REFERENCES project_released.place(id) ON DELETE RESTRICT;
