package main

import (
	"path/filepath"

	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// services are what all test programs of a run share.
type services struct {
	dir      string
	postgres *databasetest.Cluster
	redis    *redistest.Server
}

// startServices starts them, with their files in dir.
func startServices(dir string) (*services, error) {
	s := &services{dir: dir}
	if err := s.start(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *services) start() (err error) {
	if err := databasetest.MigrateSQLite(s.sqlite()); err != nil {
		return err
	}
	if s.postgres, err = databasetest.NewCluster(); err != nil {
		return err
	}
	s.redis, err = redistest.New(s.dir, redistest.SharedDatabases)
	return err
}

func (s *services) sqlite() string { return filepath.Join(s.dir, "migrated.db") }

// environment points the test programs to the services.
func (s *services) environment() []string {
	return []string{
		databasetest.ClusterEnv + "=" + s.postgres.Dir,
		databasetest.SQLiteEnv + "=" + s.sqlite(),
		redistest.ServerEnv + "=" + s.redis.URL,
	}
}

func (s *services) close() {
	if s.redis != nil {
		s.redis.Stop()
	}
	if s.postgres != nil {
		s.postgres.Close()
	}
}
