package org.opensearch.transport.grpc.spi;

/** Part of the same transport. */
public interface QueryBuilderProtoConverterRegistry {}
