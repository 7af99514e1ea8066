package org.opensearch.transport.grpc.spi;

/** The k-NN plugin implements it for a transport that the test nodes do not have. */
public interface QueryBuilderProtoConverter {}
